BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('v3.2.0.a');
CREATE TABLE studies (
	study_id INTEGER NOT NULL, 
	study_name VARCHAR(512) NOT NULL, 
	PRIMARY KEY (study_id)
);
INSERT INTO "studies" VALUES(1,'mixed');
INSERT INTO "studies" VALUES(2,'unseeded');
INSERT INTO "studies" VALUES(3,'older');
CREATE TABLE study_directions (
	study_direction_id INTEGER NOT NULL, 
	direction VARCHAR(8) NOT NULL, 
	study_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	PRIMARY KEY (study_direction_id), 
	UNIQUE (study_id, objective), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "study_directions" VALUES(1,'MINIMIZE',1,0);
INSERT INTO "study_directions" VALUES(2,'MINIMIZE',2,0);
INSERT INTO "study_directions" VALUES(3,'MINIMIZE',3,0);
CREATE TABLE study_system_attributes (
	study_system_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_system_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
CREATE TABLE study_user_attributes (
	study_user_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_user_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "study_user_attributes" VALUES(1,2,'neuralbo:seed','5119348103907658');
CREATE TABLE trial_heartbeats (
	trial_heartbeat_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	heartbeat DATETIME NOT NULL, 
	PRIMARY KEY (trial_heartbeat_id), 
	UNIQUE (trial_id), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE trial_intermediate_values (
	trial_intermediate_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	intermediate_value FLOAT, 
	intermediate_value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_intermediate_value_id), 
	UNIQUE (trial_id, step), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_intermediate_values" VALUES(1,1,0,4.30374339864379606979e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(2,1,1,4.20374339864379606987e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(3,1,2,4.10374339864379606996e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(4,2,0,1.59373004940737708068e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(5,2,1,1.49373004940737708068e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(6,2,2,1.39373004940737708066e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(7,3,0,8.96042613418158566656e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(8,3,1,8.86042613418158566708e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(9,3,2,8.76042613418158566673e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(10,4,0,1.44073131266889244983e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(11,4,1,1.34073131266889244983e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(12,4,2,1.24073131266889244981e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(13,5,0,1.01726236382049144428e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(14,5,1,9.17262363820491444243e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(15,5,2,8.17262363820491444243e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(16,6,0,1.63073078096180182688e+02,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(17,6,1,1.62073078096180182685e+02,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(18,6,2,1.6107307809618018269e+02,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(19,7,0,1.49558437231639302917e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(20,7,1,1.39558437231639302926e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(21,7,2,1.29558437231639302924e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(22,8,0,3.026615300363098271e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(23,8,1,2.92661530036309827087e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(24,8,2,2.82661530036309827096e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(25,9,0,1.32929553861716858169e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(26,9,1,1.22929553861716858167e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(27,9,2,1.12929553861716858165e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(28,10,0,1.04248453442289719102e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(29,10,1,9.42484534422897191063e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(30,10,2,8.42484534422897191063e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(31,11,0,8.27025889495941335383e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(32,11,1,7.27025889495941335383e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(33,11,2,6.27025889495941335383e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(34,13,0,8.223644706431361584e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(35,13,1,7.223644706431361584e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(36,13,2,6.223644706431361584e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(37,14,0,1.01804986652435900393e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(38,14,1,9.18049866524359,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(39,14,2,8.18049866524359,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(40,15,0,8.73024428490353,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(41,15,1,7.7302442849035308825e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(42,15,2,6.7302442849035308825e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(43,16,0,7.11276395156183749435e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(44,16,1,6.11276395156183749435e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(45,16,2,5.11276395156183749435e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(46,17,0,7.42197318804153560733e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(47,17,1,6.42197318804153560733e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(48,17,2,5.42197318804153560733e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(49,18,0,7.21136482302598569305e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(50,18,1,6.21136482302598569305e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(51,19,0,8.81154876492664484999e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(52,19,1,7.81154876492664484999e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(53,19,2,6.81154876492664484999e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(54,20,0,7.66680686436438918462e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(55,20,1,6.66680686436438918462e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(56,20,2,5.66680686436438918462e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(57,21,0,7.47551849718481786766e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(58,21,1,6.47551849718481786766e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(59,21,2,5.47551849718481786766e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(60,22,0,8.97288961910961191392e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(61,22,1,7.97288961910961191392e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(62,22,2,6.97288961910961191392e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(63,23,0,1.04094702407024115582e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(64,23,1,9.40947024070241155868e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(65,23,2,8.40947024070241155868e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(66,24,0,7.23880878894886059526e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(67,24,1,6.23880878894886059526e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(68,24,2,5.23880878894886059526e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(69,25,0,1.53845338874224388803e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(70,25,1,1.43845338874224388798e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(71,25,2,1.33845338874224388807e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(72,26,0,7.21184742191591077187e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(73,26,1,6.21184742191591077187e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(74,26,2,5.21184742191591077187e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(75,27,0,8.72544957340291738034e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(76,27,1,7.72544957340291738034e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(77,27,2,6.72544957340291738034e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(78,28,0,2.07592770051469663892e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(79,28,1,1.97592770051469663883e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(80,28,2,1.87592770051469663883e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(81,29,0,9.04204392658542,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(82,29,1,8.04204392658542,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(83,29,2,7.0420439265854195554e+00,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(84,30,0,1.31743958344628460106e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(85,30,1,1.21743958344628460115e+01,'FINITE');
INSERT INTO "trial_intermediate_values" VALUES(86,30,2,1.11743958344628460113e+01,'FINITE');
CREATE TABLE trial_params (
	param_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	param_name VARCHAR(512), 
	param_value FLOAT, 
	distribution_json TEXT, 
	PRIMARY KEY (param_id), 
	UNIQUE (trial_id, param_name), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_params" VALUES(1,1,'x',-2.37026425544172525405e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(2,1,'lr',3.43697657061076188109e-05,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(3,1,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(4,1,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(5,2,'x',-1.27210439182817935943e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(6,2,'lr',4.60032911941322074627e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(7,2,'k',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(8,2,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(9,2,'depth',5.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(10,3,'x',-1.67523245792835950851e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(11,3,'lr',3.59750584818945562393e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(12,3,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(13,3,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(14,4,'x',6.13776753190904855728e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(15,4,'lr',2.68768816697824452534e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(16,4,'k',6.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(17,4,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(18,4,'depth',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(19,5,'x',3.40460089035332202911e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(20,5,'lr',1.67959758571175721102e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(21,5,'k',7.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(22,5,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(23,6,'x',-4.42235463298857212066e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(24,6,'lr',1.23656210411153391626e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(25,6,'k',5.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(26,6,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(27,6,'depth',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(28,7,'x',-8.12414614483714103698e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(29,7,'lr',1.18648408405194272577e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(30,7,'k',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(31,7,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(32,8,'x',7.50104474369436502456e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(33,8,'lr',0.0090666641709721,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(34,8,'k',9.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(35,8,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(36,8,'depth',5.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(37,9,'x',7.67225702173708690168e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(38,9,'lr',7.62068379919909628245e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(39,9,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(40,9,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(41,10,'x',1.88677140665405129738e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(42,10,'lr',7.94610036840497297241e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(43,10,'k',7.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(44,10,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(45,11,'x',3.16416952219144143043e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(46,11,'lr',1.00515437718799336905e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(47,11,'k',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(48,11,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(49,12,'x',3.04216718779467143463e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(50,12,'lr',1.8338732463981522857e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(51,12,'k',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(52,12,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(53,13,'x',3.71606716927141,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(54,13,'lr',4.28751049907855790507e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(55,13,'k',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(56,13,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(57,14,'x',3.32730194434108739187e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(58,14,'lr',2.80267096013825205147e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(59,14,'k',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(60,14,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(61,14,'depth',5.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(62,15,'x',3.42095762842356521105e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(63,15,'lr',5.5329362376897825871e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(64,15,'k',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(65,15,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(66,16,'x',3.17645022611784710875e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(67,16,'lr',1.08709344318782402671e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(68,16,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(69,16,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(70,17,'x',2.84005545895224820185e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(71,17,'lr',1.94118827597053672864e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(72,17,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(73,17,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(74,18,'x',2.57343605091633,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(75,18,'lr',9.5252833326795339347e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(76,18,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(77,18,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(78,19,'x',4.74520516694022553849e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(79,19,'lr',2.16597493518145374144e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(80,19,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(81,19,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(82,20,'x',4.24237509049036098929e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(83,20,'lr',0.000968367705068726,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(84,20,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(85,20,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(86,21,'x',3.52234651656995367829e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(87,21,'lr',1.51380817042059859049e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(88,21,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(89,21,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(90,22,'x',3.31470605595479916871e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(91,22,'lr',9.19712296815480834233e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(92,22,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(93,22,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(94,23,'x',3.11416125745601846119e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(95,23,'lr',4.28914153964366490906e-05,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(96,23,'k',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(97,23,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(98,24,'x',3.50782841350926410939e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(99,24,'lr',9.74947211760961835423e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(100,24,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(101,24,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(102,25,'x',1.8491178318456631402e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(103,25,'lr',6.70922492172444737829e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(104,25,'k',9.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(105,25,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(106,26,'x',3.29775656144464512919e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(107,26,'lr',1.18315969195144886361e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(108,26,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(109,26,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(110,27,'x',3.93963034434767855884e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(111,27,'lr',3.23716443631779380099e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(112,27,'k',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(113,27,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(114,27,'depth',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(115,28,'x',-1.87997086440380378746e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(116,28,'lr',6.10048824886178810405e-05,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(117,28,'k',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(118,28,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(119,28,'depth',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(120,29,'x',4.27056095108732058918e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(121,29,'lr',1.11387053004184622892e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(122,29,'k',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(123,29,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(124,29,'depth',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(125,30,'x',1.84829742580310618649e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(126,30,'lr',0.00609171495653306,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(127,30,'k',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(128,30,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(129,30,'depth',5.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(130,31,'x',4.8923006514087319374e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(131,31,'lr',8.86309749986630493467e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(132,31,'k',8.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(133,31,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(134,31,'depth',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(135,32,'x',-4.17849366553127765655e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(136,32,'lr',2.31905614485356653675e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(137,32,'k',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(138,32,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(139,33,'x',1.14869493991136550903e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(140,33,'lr',6.20443433356339738016e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(141,33,'k',5.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(142,33,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(143,33,'depth',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(144,34,'x',7.07790076266974210739e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(145,34,'lr',7.87000095554632477954e-05,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(146,34,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(147,34,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(148,35,'x',8.20969556923955678939e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(149,35,'lr',3.99173612639213082342e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(150,35,'k',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(151,35,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(152,36,'x',-8.02503991872072219848e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(153,36,'lr',1.21837179956562142904e-05,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(154,36,'k',9.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(155,36,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(156,36,'depth',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(157,37,'x',-3.04669874720275402069e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(158,37,'lr',5.45362126335655061915e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(159,37,'k',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(160,37,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(161,38,'x',2.94110160786658525466e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(162,38,'lr',3.75680481308137315284e-04,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(163,38,'k',6.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(164,38,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(165,38,'depth',5.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(166,39,'x',10.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(167,39,'lr',8.30710331367318782769e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(168,39,'k',5.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(169,39,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(170,39,'depth',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(171,40,'x',2.57442084968958262436e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(172,40,'lr',3.01349682912777170479e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(173,40,'k',3.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(174,40,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(175,40,'depth',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(176,41,'x',1.67931943664099136981e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(177,41,'lr',3.49458183123947455084e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(178,41,'k',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(179,41,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(180,41,'depth',5.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 5}}');
INSERT INTO "trial_params" VALUES(181,42,'x',2.93444998945280843827e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -5.0, "high": 10.0, "log": false}}');
INSERT INTO "trial_params" VALUES(182,42,'lr',0.00108404727748601,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 1.0, "log": true}}');
INSERT INTO "trial_params" VALUES(183,42,'k',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 9}}');
INSERT INTO "trial_params" VALUES(184,42,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", "b"]}}');
INSERT INTO "trial_params" VALUES(185,43,'x',1.75315716303884983062e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(186,43,'y',6.14540862850844860076e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(187,44,'x',8.49361522123217582702e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(188,44,'y',2.804003935307264328e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(189,45,'x',4.59502210840582847595e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(190,45,'y',9.87980386242270469665e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(191,46,'x',6.86653427779674530029e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(192,46,'y',9.28261131048202514648e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(193,47,'x',5.13776831328868865966e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(194,47,'y',7.73617009632289409637e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(195,48,'x',1.05064234229688732713e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(196,48,'y',7.23021743913169201434e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(197,49,'x',2.05750125838730063554e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(198,49,'y',0.684377644002332,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(199,50,'x',2.31214985946184115039e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(200,50,'y',0.756283503395257,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(201,51,'x',2.50704852197207783692e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(202,51,'y',6.79977643950374299741e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(203,52,'x',1.95974109892628894913e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(204,52,'y',7.01201154119190595004e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(205,53,'x',1.88784058982185420916e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(206,53,'y',6.92946396127211428073e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(207,54,'x',1.98977569568598938731e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(208,54,'y',6.97524346847322784803e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(209,55,'x',1.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(210,55,'y',4.23668121490281934793e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(211,56,'x',3.21925549680053046941e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(212,56,'y',0.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(213,57,'x',1.97920701590770825584e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(214,57,'y',6.97556216221504654662e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(215,58,'x',1.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(216,58,'y',1.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(217,59,'x',4.36540803144749856024e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(218,59,'y',3.21186081784021359997e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(219,60,'x',0.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(220,60,'y',0.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(221,61,'x',1.97557017145761376619e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(222,61,'y',6.97790341303694217067e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(223,62,'x',1.98970564959484563782e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(224,62,'y',6.98879993241771857448e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(225,63,'x',1.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(226,63,'y',0.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(227,64,'x',0.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(228,64,'y',1.0,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(229,65,'x',1.98738866892747834125e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(230,65,'y',6.98710169659429114474e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(231,66,'x',1.98709553494356205849e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(232,66,'y',6.98687206297598839555e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(233,67,'x',1.98630998877279890679e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(234,67,'y',6.98631592300008819051e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(235,68,'x',1.98580556152041620698e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(236,68,'y',6.98596471180618183716e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(237,69,'x',6.85310170478197089316e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(238,69,'y',4.68971150878193909772e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(239,70,'x',1.98583366632283875308e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(240,70,'y',6.98615001153200521066e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(241,71,'x',0.19858584476117,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(242,71,'y',0.698609980050978,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(243,72,'x',1.98587415143687939789e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(244,72,'y',6.98605863157272577446e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(245,73,'x',1.98588418151064621808e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(246,73,'y',6.9860237045702544556e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(247,74,'x',1.98589298406950137687e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(248,74,'y',6.98599243243893663901e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(249,75,'x',1.98591987680818843342e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(250,75,'y',6.98596815684290550763e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(251,76,'x',1.98520625265205308274e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(252,76,'y',6.98531456534923322898e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(253,77,'x',1.98523871547741537213e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(254,77,'y',6.98532652774597195843e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(255,78,'x',2.12435014148340123307e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(256,78,'y',7.14267885666951762857e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
CREATE TABLE trial_system_attributes (
	trial_system_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_system_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_system_attributes" VALUES(1,1,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(2,2,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(3,2,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:29.683127", "params": {"k": 2, "kind": "a", "lr": 0.0004600329119413221, "x": -1.2721043918281794}}');
INSERT INTO "trial_system_attributes" VALUES(4,3,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(5,3,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:29.994771", "params": {"k": 4, "kind": "b", "lr": 0.35975058481894556, "x": -1.6752324579283595}}');
INSERT INTO "trial_system_attributes" VALUES(6,4,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(7,4,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:30.252233", "params": {"k": 6, "kind": "a", "depth": 1, "lr": 0.00026876881669782445, "x": 6.137767531909049}}');
INSERT INTO "trial_system_attributes" VALUES(8,5,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(9,5,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:30.524544", "params": {"k": 7, "kind": "b", "lr": 0.0016795975857117572, "x": 3.404600890353322}}');
INSERT INTO "trial_system_attributes" VALUES(10,6,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(11,6,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:30.785244", "params": {"k": 5, "kind": "a", "depth": 3, "lr": 0.12365621041115339, "x": -4.422354632988572}}');
INSERT INTO "trial_system_attributes" VALUES(12,7,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(13,7,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:31.053419", "params": {"k": 3, "kind": "b", "lr": 0.00011864840840519427, "x": -0.08124146144837141}}');
INSERT INTO "trial_system_attributes" VALUES(14,8,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(15,8,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:31.318111", "params": {"k": 9, "kind": "a", "depth": 5, "lr": 0.0090666641709721, "x": 7.501044743694365}}');
INSERT INTO "trial_system_attributes" VALUES(16,9,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(17,9,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:31.562121", "params": {"k": 4, "kind": "b", "lr": 0.0007620683799199096, "x": 7.672257021737087}}');
INSERT INTO "trial_system_attributes" VALUES(18,10,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(19,10,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:32.005549", "params": {"k": 7, "kind": "b", "lr": 0.0007946100368404973, "x": 1.8867714066540513}}');
INSERT INTO "trial_system_attributes" VALUES(20,11,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(21,11,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:32.309717", "params": {"k": 2, "kind": "b", "lr": 0.0010051543771879934, "x": 3.1641695221914414}}');
INSERT INTO "trial_system_attributes" VALUES(22,12,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(23,12,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:32.610800", "params": {"k": 1, "kind": "b", "lr": 0.0018338732463981523, "x": 3.0421671877946714}}');
INSERT INTO "trial_system_attributes" VALUES(24,12,'neuralbo:ended','true');
INSERT INTO "trial_system_attributes" VALUES(25,13,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(26,13,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:32.896389", "params": {"k": 3, "kind": "b", "lr": 0.0004287510499078558, "x": 3.71606716927141}}');
INSERT INTO "trial_system_attributes" VALUES(27,14,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(28,14,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:33.223753", "params": {"k": 2, "kind": "a", "depth": 5, "lr": 0.0002802670960138252, "x": 3.3273019443410874}}');
INSERT INTO "trial_system_attributes" VALUES(29,15,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(30,15,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:33.716388", "params": {"k": 2, "kind": "b", "lr": 0.0005532936237689783, "x": 3.420957628423565}}');
INSERT INTO "trial_system_attributes" VALUES(31,16,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(32,16,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:34.060187", "params": {"k": 4, "kind": "b", "lr": 0.001087093443187824, "x": 3.176450226117847}}');
INSERT INTO "trial_system_attributes" VALUES(33,17,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(34,17,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:34.404583", "params": {"k": 4, "kind": "b", "lr": 0.0019411882759705367, "x": 2.840055458952248}}');
INSERT INTO "trial_system_attributes" VALUES(35,18,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(36,18,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:34.721181", "params": {"k": 4, "kind": "b", "lr": 0.0009525283332679534, "x": 2.57343605091633}}');
INSERT INTO "trial_system_attributes" VALUES(37,19,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(38,19,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:35.072067", "params": {"k": 4, "kind": "b", "lr": 0.0021659749351814537, "x": 4.7452051669402255}}');
INSERT INTO "trial_system_attributes" VALUES(39,20,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(40,20,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:35.788989", "params": {"k": 4, "kind": "b", "lr": 0.000968367705068726, "x": 4.242375090490361}}');
INSERT INTO "trial_system_attributes" VALUES(41,21,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(42,21,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:36.137462", "params": {"k": 4, "kind": "b", "lr": 0.0015138081704205986, "x": 3.5223465165699537}}');
INSERT INTO "trial_system_attributes" VALUES(43,22,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(44,22,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:36.588275", "params": {"k": 4, "kind": "b", "lr": 0.009197122968154808, "x": 3.314706055954799}}');
INSERT INTO "trial_system_attributes" VALUES(45,23,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(46,23,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:36.916139", "params": {"k": 3, "kind": "b", "lr": 4.289141539643665e-05, "x": 3.1141612574560185}}');
INSERT INTO "trial_system_attributes" VALUES(47,24,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(48,24,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:37.268881", "params": {"k": 4, "kind": "b", "lr": 0.0009749472117609618, "x": 3.507828413509264}}');
INSERT INTO "trial_system_attributes" VALUES(49,25,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(50,25,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:37.661496", "params": {"k": 9, "kind": "b", "lr": 0.0006709224921724447, "x": 1.8491178318456631}}');
INSERT INTO "trial_system_attributes" VALUES(51,26,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(52,26,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:38.036752", "params": {"k": 4, "kind": "b", "lr": 0.0011831596919514489, "x": 3.297756561444645}}');
INSERT INTO "trial_system_attributes" VALUES(53,27,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(54,27,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:38.397193", "params": {"k": 3, "kind": "a", "depth": 4, "lr": 0.003237164436317794, "x": 3.9396303443476786}}');
INSERT INTO "trial_system_attributes" VALUES(55,28,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(56,28,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:38.885764", "params": {"k": 1, "kind": "a", "depth": 4, "lr": 6.100488248861788e-05, "x": -0.18799708644038038}}');
INSERT INTO "trial_system_attributes" VALUES(57,29,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(58,29,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:39.324620", "params": {"k": 3, "kind": "a", "depth": 1, "lr": 0.0011138705300418462, "x": 4.270560951087321}}');
INSERT INTO "trial_system_attributes" VALUES(59,30,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(60,30,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:39.732682", "params": {"k": 1, "kind": "a", "depth": 5, "lr": 0.00609171495653306, "x": 1.8482974258031062}}');
INSERT INTO "trial_system_attributes" VALUES(61,31,'neuralbo:token','"f578eb22f87d4a7c986e754e50f4ab3b"');
INSERT INTO "trial_system_attributes" VALUES(62,31,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(63,31,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:40.631163", "params": {"x": 4.892300651408732, "lr": 0.008863097499866305, "k": 8, "kind": "a", "depth": 4}}');
INSERT INTO "trial_system_attributes" VALUES(64,32,'neuralbo:token','"8dd73d3a5ced493b87e491a59cd85e04"');
INSERT INTO "trial_system_attributes" VALUES(65,32,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(66,32,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:40.867686", "params": {"x": -4.178493665531278, "lr": 0.0023190561448535665, "k": 2, "kind": "b"}}');
INSERT INTO "trial_system_attributes" VALUES(67,33,'neuralbo:token','"44fa051e088049959a50764663590d2a"');
INSERT INTO "trial_system_attributes" VALUES(68,33,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(69,33,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:41.066843", "params": {"x": 1.1486949399113655, "lr": 0.062044343335633974, "k": 5, "kind": "a", "depth": 1}}');
INSERT INTO "trial_system_attributes" VALUES(70,34,'neuralbo:token','"4b46b03a63f34993a1bbeebed04cb73e"');
INSERT INTO "trial_system_attributes" VALUES(71,34,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(72,34,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:41.250741", "params": {"x": 7.077900762669742, "lr": 7.870000955546325e-05, "k": 4, "kind": "b"}}');
INSERT INTO "trial_system_attributes" VALUES(73,35,'neuralbo:token','"809f919d513e462f874bd5978fe9195c"');
INSERT INTO "trial_system_attributes" VALUES(74,35,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(75,35,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:41.455129", "params": {"x": 8.209695569239557, "lr": 0.3991736126392131, "k": 1, "kind": "b"}}');
INSERT INTO "trial_system_attributes" VALUES(76,36,'neuralbo:token','"017b3dc12d3e49439bb061c3bfa6f01a"');
INSERT INTO "trial_system_attributes" VALUES(77,36,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(78,36,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:41.690812", "params": {"x": -0.8025039918720722, "lr": 1.2183717995656214e-05, "k": 9, "kind": "a", "depth": 1}}');
INSERT INTO "trial_system_attributes" VALUES(79,37,'neuralbo:token','"0d83c27ec57a47ce99dd5f5cb7d9fc98"');
INSERT INTO "trial_system_attributes" VALUES(80,37,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(81,37,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:41.900543", "params": {"x": -3.046698747202754, "lr": 0.054536212633565506, "k": 3, "kind": "b"}}');
INSERT INTO "trial_system_attributes" VALUES(82,38,'neuralbo:token','"834531ac00004580bbe0a5644f8ac593"');
INSERT INTO "trial_system_attributes" VALUES(83,38,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(84,38,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:42.082800", "params": {"x": 2.9411016078665853, "lr": 0.0003756804813081373, "k": 6, "kind": "a", "depth": 5}}');
INSERT INTO "trial_system_attributes" VALUES(85,39,'neuralbo:token','"0ba6ced97d3841af80e150173b142422"');
INSERT INTO "trial_system_attributes" VALUES(86,39,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(87,39,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:42.271148", "params": {"x": 10.0, "lr": 0.08307103313673188, "k": 5, "kind": "a", "depth": 4}}');
INSERT INTO "trial_system_attributes" VALUES(88,40,'neuralbo:token','"b158195683b34f3db3d31f6693e83888"');
INSERT INTO "trial_system_attributes" VALUES(89,40,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(90,40,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:42.534664", "params": {"x": 2.5744208496895826, "lr": 0.0030134968291277717, "k": 3, "kind": "a", "depth": 4}}');
INSERT INTO "trial_system_attributes" VALUES(91,41,'neuralbo:token','"de5d375261e54516bc4bb1b9945a2041"');
INSERT INTO "trial_system_attributes" VALUES(92,41,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(93,41,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:42.757406", "params": {"x": 1.6793194366409914, "lr": 0.034945818312394746, "k": 4, "kind": "a", "depth": 5}}');
INSERT INTO "trial_system_attributes" VALUES(94,42,'neuralbo:token','"e875bbee9e4f4c6e9e3735362fffaca9"');
INSERT INTO "trial_system_attributes" VALUES(95,42,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(96,42,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:44:43.018192", "params": {"x": 2.9344499894528084, "lr": 0.00108404727748601, "k": 2, "kind": "b"}}');
INSERT INTO "trial_system_attributes" VALUES(97,43,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(98,44,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(99,44,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:18.133930", "params": {"x": 0.08493615221232176, "y": 0.28040039353072643}}');
INSERT INTO "trial_system_attributes" VALUES(100,45,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(101,45,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:18.317809", "params": {"x": 0.45950221084058285, "y": 0.9879803862422705}}');
INSERT INTO "trial_system_attributes" VALUES(102,46,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(103,46,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:18.524022", "params": {"x": 0.6866534277796745, "y": 0.09282611310482025}}');
INSERT INTO "trial_system_attributes" VALUES(104,47,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(105,47,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:18.724569", "params": {"x": 0.5137768313288689, "y": 0.7736170096322894}}');
INSERT INTO "trial_system_attributes" VALUES(106,48,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(107,48,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:18.895324", "params": {"x": 0.10506423422968873, "y": 0.7230217439131692}}');
INSERT INTO "trial_system_attributes" VALUES(108,49,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(109,49,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:19.102001", "params": {"x": 0.20575012583873006, "y": 0.684377644002332}}');
INSERT INTO "trial_system_attributes" VALUES(110,50,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(111,50,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:19.313882", "params": {"x": 0.23121498594618412, "y": 0.756283503395257}}');
INSERT INTO "trial_system_attributes" VALUES(112,51,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(113,51,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:19.511569", "params": {"x": 0.2507048521972078, "y": 0.6799776439503743}}');
INSERT INTO "trial_system_attributes" VALUES(114,52,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(115,52,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:19.796562", "params": {"x": 0.1959741098926289, "y": 0.7012011541191906}}');
INSERT INTO "trial_system_attributes" VALUES(116,53,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(117,53,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:19.984550", "params": {"x": 0.18878405898218542, "y": 0.6929463961272114}}');
INSERT INTO "trial_system_attributes" VALUES(118,54,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(119,54,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:20.172693", "params": {"x": 0.19897756956859894, "y": 0.6975243468473228}}');
INSERT INTO "trial_system_attributes" VALUES(120,55,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(121,55,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:20.336360", "params": {"x": 1.0, "y": 0.42366812149028193}}');
INSERT INTO "trial_system_attributes" VALUES(122,56,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(123,56,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:20.614177", "params": {"x": 0.32192554968005305, "y": 0.0}}');
INSERT INTO "trial_system_attributes" VALUES(124,57,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(125,57,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:20.844748", "params": {"x": 0.19792070159077083, "y": 0.6975562162215047}}');
INSERT INTO "trial_system_attributes" VALUES(126,58,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(127,58,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:21.052478", "params": {"x": 1.0, "y": 1.0}}');
INSERT INTO "trial_system_attributes" VALUES(128,59,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(129,59,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:21.252871", "params": {"x": 0.43654080314474986, "y": 0.32118608178402136}}');
INSERT INTO "trial_system_attributes" VALUES(130,60,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(131,60,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:21.448766", "params": {"x": 0.0, "y": 0.0}}');
INSERT INTO "trial_system_attributes" VALUES(132,61,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(133,61,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:21.677328", "params": {"x": 0.19755701714576138, "y": 0.6977903413036942}}');
INSERT INTO "trial_system_attributes" VALUES(134,62,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(135,62,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:21.909418", "params": {"x": 0.19897056495948456, "y": 0.6988799932417719}}');
INSERT INTO "trial_system_attributes" VALUES(136,63,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(137,63,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:21.961566", "params": {"x": 1.0, "y": 0.0}}');
INSERT INTO "trial_system_attributes" VALUES(138,64,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(139,64,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:22.024950", "params": {"x": 0.0, "y": 1.0}}');
INSERT INTO "trial_system_attributes" VALUES(140,65,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(141,65,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:22.193670", "params": {"x": 0.19873886689274783, "y": 0.6987101696594291}}');
INSERT INTO "trial_system_attributes" VALUES(142,66,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(143,66,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:22.284805", "params": {"x": 0.1987095534943562, "y": 0.6986872062975988}}');
INSERT INTO "trial_system_attributes" VALUES(144,67,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(145,67,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:22.436514", "params": {"x": 0.1986309988772799, "y": 0.6986315923000088}}');
INSERT INTO "trial_system_attributes" VALUES(146,68,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(147,68,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:22.612949", "params": {"x": 0.19858055615204162, "y": 0.6985964711806182}}');
INSERT INTO "trial_system_attributes" VALUES(148,69,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(149,69,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:22.801154", "params": {"x": 0.6853101704781971, "y": 0.4689711508781939}}');
INSERT INTO "trial_system_attributes" VALUES(150,70,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(151,70,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:22.981366", "params": {"x": 0.19858336663228388, "y": 0.6986150011532005}}');
INSERT INTO "trial_system_attributes" VALUES(152,71,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(153,71,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:23.293820", "params": {"x": 0.19858584476117, "y": 0.698609980050978}}');
INSERT INTO "trial_system_attributes" VALUES(154,72,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(155,72,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:23.500661", "params": {"x": 0.19858741514368794, "y": 0.6986058631572726}}');
INSERT INTO "trial_system_attributes" VALUES(156,73,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(157,73,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:23.707817", "params": {"x": 0.19858841815106462, "y": 0.6986023704570254}}');
INSERT INTO "trial_system_attributes" VALUES(158,74,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(159,74,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:23.926107", "params": {"x": 0.19858929840695014, "y": 0.6985992432438937}}');
INSERT INTO "trial_system_attributes" VALUES(160,75,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(161,75,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:24.128865", "params": {"x": 0.19859198768081884, "y": 0.6985968156842906}}');
INSERT INTO "trial_system_attributes" VALUES(162,76,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(163,76,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:24.329012", "params": {"x": 0.1985206252652053, "y": 0.6985314565349233}}');
INSERT INTO "trial_system_attributes" VALUES(164,77,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(165,77,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:24.545229", "params": {"x": 0.19852387154774154, "y": 0.6985326527745972}}');
INSERT INTO "trial_system_attributes" VALUES(166,78,'neuralbo:worker','"{\"host\": \"elsewhere\", \"boot\": \"b\", \"namespace\": \"pid:[4026531836]\", \"pid\": 4711, \"started\": \"1\", \"machine\": \"m\"}"');
INSERT INTO "trial_system_attributes" VALUES(167,78,'neuralbo:params','{"stand": "settled", "read": "2026-11-18T20:45:24.749119", "params": {"x": 0.21243501414834012, "y": 0.7142678856669518}}');
CREATE TABLE trial_user_attributes (
	trial_user_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_user_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_user_attributes" VALUES(1,2,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(2,3,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(3,4,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(4,5,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(5,6,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(6,7,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(7,8,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(8,9,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -9.8546, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -0.8181, "fit_seconds": 0.0255, "choose_seconds": 0.0716, "log_warp": 3.0, "scored_on": 8, "weight_gp_log_warp_3": 1.0, "score_gp": -4.9338, "score_gp_log_warp_3": -4.1463, "score_gp_log_warp_30": -4.1871, "why": "leave-one-out log predictive density, nats per observation of 8: gp with a log warp of the outputs (strength 3) -4.15, gp with a log warp of the outputs (strength 30) -4.19, gp -4.93"}');
INSERT INTO "trial_user_attributes" VALUES(9,10,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -10.8565, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -1.0453, "fit_seconds": 0.0163, "choose_seconds": 0.0310, "log_warp": 3.0, "scored_on": 8, "weight_gp_log_warp_3": 1.0, "score_gp": -4.9338, "score_gp_log_warp_3": -4.1463, "score_gp_log_warp_30": -4.1871, "why": "leave-one-out log predictive density, nats per observation of 8: gp with a log warp of the outputs (strength 3) -4.15, gp with a log warp of the outputs (strength 30) -4.19, gp -4.93"}');
INSERT INTO "trial_user_attributes" VALUES(10,11,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -10.0782, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -1.1970, "fit_seconds": 0.0161, "choose_seconds": 0.0220, "log_warp": 3.0, "scored_on": 8, "weight_gp_log_warp_3": 1.0, "score_gp": -4.9338, "score_gp_log_warp_3": -4.1463, "score_gp_log_warp_30": -4.1871, "why": "leave-one-out log predictive density, nats per observation of 8: gp with a log warp of the outputs (strength 3) -4.15, gp with a log warp of the outputs (strength 30) -4.19, gp -4.93"}');
INSERT INTO "trial_user_attributes" VALUES(11,12,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -10.7019, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -1.8141, "fit_seconds": 0.0189, "choose_seconds": 0.0398, "log_warp": 3.0, "scored_on": 8, "weight_gp_log_warp_3": 1.0, "score_gp": -4.9338, "score_gp_log_warp_3": -4.1463, "score_gp_log_warp_30": -4.1871, "why": "leave-one-out log predictive density, nats per observation of 8: gp with a log warp of the outputs (strength 3) -4.15, gp with a log warp of the outputs (strength 30) -4.19, gp -4.93"}');
INSERT INTO "trial_user_attributes" VALUES(12,13,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -10.7019, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -2.9979, "fit_seconds": 8.224199996220705e-05, "choose_seconds": 0.0545, "log_warp": 3.0, "scored_on": 8, "weight_gp_log_warp_3": 1.0, "score_gp": -4.9338, "score_gp_log_warp_3": -4.1463, "score_gp_log_warp_30": -4.1871, "why": "leave-one-out log predictive density, nats per observation of 8: gp with a log warp of the outputs (strength 3) -4.15, gp with a log warp of the outputs (strength 30) -4.19, gp -4.93"}');
INSERT INTO "trial_user_attributes" VALUES(13,14,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -8.9466, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -3.1882, "fit_seconds": 0.0989, "choose_seconds": 0.0535, "log_warp": 3.0, "scored_on": 12, "weight_gp_log_warp_3": 1.0, "score_gp": -4.0291, "score_gp_log_warp_3": -2.7408, "score_gp_log_warp_30": -2.9100, "why": "leave-one-out log predictive density, nats per observation of 12: gp with a log warp of the outputs (strength 3) -2.74, gp with a log warp of the outputs (strength 30) -2.91, gp -4.03"}');
INSERT INTO "trial_user_attributes" VALUES(14,15,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -9.0703, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -3.6992, "fit_seconds": 0.0136, "choose_seconds": 0.0685, "log_warp": 3.0, "scored_on": 12, "weight_gp_log_warp_3": 1.0, "score_gp": -4.0291, "score_gp_log_warp_3": -2.7408, "score_gp_log_warp_30": -2.9100, "why": "leave-one-out log predictive density, nats per observation of 12: gp with a log warp of the outputs (strength 3) -2.74, gp with a log warp of the outputs (strength 30) -2.91, gp -4.03"}');
INSERT INTO "trial_user_attributes" VALUES(15,16,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -10.4495, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -0.4779, "fit_seconds": 0.0404, "choose_seconds": 0.0517, "log_warp": 3.0, "scored_on": 12, "weight_gp_log_warp_3": 1.0, "score_gp": -4.0291, "score_gp_log_warp_3": -2.7408, "score_gp_log_warp_30": -2.9100, "why": "leave-one-out log predictive density, nats per observation of 12: gp with a log warp of the outputs (strength 3) -2.74, gp with a log warp of the outputs (strength 30) -2.91, gp -4.03"}');
INSERT INTO "trial_user_attributes" VALUES(16,17,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -9.8682, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -2.4613, "fit_seconds": 0.0117, "choose_seconds": 0.0541, "log_warp": 3.0, "scored_on": 12, "weight_gp_log_warp_3": 1.0, "score_gp": -4.0291, "score_gp_log_warp_3": -2.7408, "score_gp_log_warp_30": -2.9100, "why": "leave-one-out log predictive density, nats per observation of 12: gp with a log warp of the outputs (strength 3) -2.74, gp with a log warp of the outputs (strength 30) -2.91, gp -4.03"}');
INSERT INTO "trial_user_attributes" VALUES(17,18,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -8.7253, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -3.4097, "fit_seconds": 0.0158, "choose_seconds": 0.0699, "log_warp": 3.0, "scored_on": 12, "weight_gp_log_warp_3": 1.0, "score_gp": -4.0291, "score_gp_log_warp_3": -2.7408, "score_gp_log_warp_30": -2.9100, "why": "leave-one-out log predictive density, nats per observation of 12: gp with a log warp of the outputs (strength 3) -2.74, gp with a log warp of the outputs (strength 30) -2.91, gp -4.03"}');
INSERT INTO "trial_user_attributes" VALUES(18,19,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -8.7253, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": 1.4437, "fit_seconds": 8.573799982514174e-05, "choose_seconds": 0.4498, "log_warp": 3.0, "scored_on": 12, "weight_gp_log_warp_3": 1.0, "score_gp": -4.0291, "score_gp_log_warp_3": -2.7408, "score_gp_log_warp_30": -2.9100, "why": "leave-one-out log predictive density, nats per observation of 12: gp with a log warp of the outputs (strength 3) -2.74, gp with a log warp of the outputs (strength 30) -2.91, gp -4.03"}');
INSERT INTO "trial_user_attributes" VALUES(19,20,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -9.0311, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": 0.2079, "fit_seconds": 0.0160, "choose_seconds": 0.0665, "log_warp": 3.0, "scored_on": 12, "weight_gp_log_warp_3": 1.0, "score_gp": -4.0291, "score_gp_log_warp_3": -2.7408, "score_gp_log_warp_30": -2.9100, "why": "leave-one-out log predictive density, nats per observation of 12: gp with a log warp of the outputs (strength 3) -2.74, gp with a log warp of the outputs (strength 30) -2.91, gp -4.03"}');
INSERT INTO "trial_user_attributes" VALUES(20,21,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -8.8272, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -0.8856, "fit_seconds": 0.0747, "choose_seconds": 0.0794, "log_warp": 3.0, "scored_on": 18, "weight_gp_log_warp_3": 1.0, "score_gp": -2.7293, "score_gp_log_warp_3": -1.9601, "score_gp_log_warp_30": -2.7303, "why": "leave-one-out log predictive density, nats per observation of 18: gp with a log warp of the outputs (strength 3) -1.96, gp -2.73, gp with a log warp of the outputs (strength 30) -2.73"}');
INSERT INTO "trial_user_attributes" VALUES(21,22,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -7.6056, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": 0.2193, "fit_seconds": 0.0107, "choose_seconds": 0.0672, "log_warp": 3.0, "scored_on": 18, "weight_gp_log_warp_3": 1.0, "score_gp": -2.7293, "score_gp_log_warp_3": -1.9601, "score_gp_log_warp_30": -2.7303, "why": "leave-one-out log predictive density, nats per observation of 18: gp with a log warp of the outputs (strength 3) -1.96, gp -2.73, gp with a log warp of the outputs (strength 30) -2.73"}');
INSERT INTO "trial_user_attributes" VALUES(22,23,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -8.9464, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -0.7990, "fit_seconds": 0.0192, "choose_seconds": 0.0706, "log_warp": 3.0, "scored_on": 18, "weight_gp_log_warp_3": 1.0, "score_gp": -2.7293, "score_gp_log_warp_3": -1.9601, "score_gp_log_warp_30": -2.7303, "why": "leave-one-out log predictive density, nats per observation of 18: gp with a log warp of the outputs (strength 3) -1.96, gp -2.73, gp with a log warp of the outputs (strength 30) -2.73"}');
INSERT INTO "trial_user_attributes" VALUES(23,24,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -10.8188, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -2.1151, "fit_seconds": 0.0216, "choose_seconds": 0.0838, "log_warp": 3.0, "scored_on": 18, "weight_gp_log_warp_3": 1.0, "score_gp": -2.7293, "score_gp_log_warp_3": -1.9601, "score_gp_log_warp_30": -2.7303, "why": "leave-one-out log predictive density, nats per observation of 18: gp with a log warp of the outputs (strength 3) -1.96, gp -2.73, gp with a log warp of the outputs (strength 30) -2.73"}');
INSERT INTO "trial_user_attributes" VALUES(24,25,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -8.3532, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -2.6394, "fit_seconds": 0.0121, "choose_seconds": 0.0952, "log_warp": 3.0, "scored_on": 18, "weight_gp_log_warp_3": 1.0, "score_gp": -2.7293, "score_gp_log_warp_3": -1.9601, "score_gp_log_warp_30": -2.7303, "why": "leave-one-out log predictive density, nats per observation of 18: gp with a log warp of the outputs (strength 3) -1.96, gp -2.73, gp with a log warp of the outputs (strength 30) -2.73"}');
INSERT INTO "trial_user_attributes" VALUES(25,26,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -9.0055, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -2.8218, "fit_seconds": 0.0168, "choose_seconds": 0.0763, "log_warp": 3.0, "scored_on": 18, "weight_gp_log_warp_3": 1.0, "score_gp": -2.7293, "score_gp_log_warp_3": -1.9601, "score_gp_log_warp_30": -2.7303, "why": "leave-one-out log predictive density, nats per observation of 18: gp with a log warp of the outputs (strength 3) -1.96, gp -2.73, gp with a log warp of the outputs (strength 30) -2.73"}');
INSERT INTO "trial_user_attributes" VALUES(26,27,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -5.8437, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -4.2010, "fit_seconds": 0.0160, "choose_seconds": 0.1105, "log_warp": 3.0, "scored_on": 18, "weight_gp_log_warp_3": 1.0, "score_gp": -2.7293, "score_gp_log_warp_3": -1.9601, "score_gp_log_warp_30": -2.7303, "why": "leave-one-out log predictive density, nats per observation of 18: gp with a log warp of the outputs (strength 3) -1.96, gp -2.73, gp with a log warp of the outputs (strength 30) -2.73"}');
INSERT INTO "trial_user_attributes" VALUES(27,28,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -5.8191, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -3.0913, "fit_seconds": 0.0239, "choose_seconds": 0.1524, "log_warp": 3.0, "scored_on": 18, "weight_gp_log_warp_3": 1.0, "score_gp": -2.7293, "score_gp_log_warp_3": -1.9601, "score_gp_log_warp_30": -2.7303, "why": "leave-one-out log predictive density, nats per observation of 18: gp with a log warp of the outputs (strength 3) -1.96, gp -2.73, gp with a log warp of the outputs (strength 30) -2.73"}');
INSERT INTO "trial_user_attributes" VALUES(28,29,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -6.0228, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -5.8543, "fit_seconds": 0.0162, "choose_seconds": 0.1226, "log_warp": 3.0, "scored_on": 18, "weight_gp_log_warp_3": 1.0, "score_gp": -2.7293, "score_gp_log_warp_3": -1.9601, "score_gp_log_warp_30": -2.7303, "why": "leave-one-out log predictive density, nats per observation of 18: gp with a log warp of the outputs (strength 3) -1.96, gp -2.73, gp with a log warp of the outputs (strength 30) -2.73"}');
INSERT INTO "trial_user_attributes" VALUES(29,30,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -5.9628, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -6.5448, "fit_seconds": 0.1130, "choose_seconds": 0.0944, "log_warp": 3.0, "scored_on": 27, "weight_gp_log_warp_3": 1.0, "score_gp": -2.1459, "score_gp_log_warp_3": -1.6095, "score_gp_log_warp_30": -2.0338, "why": "leave-one-out log predictive density, nats per observation of 27: gp with a log warp of the outputs (strength 3) -1.61, gp with a log warp of the outputs (strength 30) -2.03, gp -2.15"}');
INSERT INTO "trial_user_attributes" VALUES(30,31,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(31,32,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(32,33,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(33,34,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(34,35,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(35,36,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(36,37,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(37,38,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(38,39,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -9.2982, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": 1.2351, "fit_seconds": 0.0131, "choose_seconds": 0.0123, "scored_on": 8, "weight_gp": 1.0, "score_gp": -3.6123, "score_gp_log_warp_3": -3.5098, "score_gp_log_warp_30": -3.9929, "why": "leave-one-out log predictive density, nats per observation of 8: gp with a log warp of the outputs (strength 3) -3.51, gp -3.61, gp with a log warp of the outputs (strength 30) -3.99; gp with a log warp of the outputs (strength 3) is not ahead by its margin, 6 nats in all"}');
INSERT INTO "trial_user_attributes" VALUES(39,40,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -11.5645, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": 1.2683, "fit_seconds": 0.0076, "choose_seconds": 0.0138, "scored_on": 8, "weight_gp": 1.0, "score_gp": -3.6123, "score_gp_log_warp_3": -3.5098, "score_gp_log_warp_30": -3.9929, "why": "leave-one-out log predictive density, nats per observation of 8: gp with a log warp of the outputs (strength 3) -3.51, gp -3.61, gp with a log warp of the outputs (strength 30) -3.99; gp with a log warp of the outputs (strength 3) is not ahead by its margin, 6 nats in all"}');
INSERT INTO "trial_user_attributes" VALUES(40,41,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -10.8417, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": 0.5961, "fit_seconds": 0.0079, "choose_seconds": 0.0174, "scored_on": 8, "weight_gp": 1.0, "score_gp": -3.6123, "score_gp_log_warp_3": -3.5098, "score_gp_log_warp_30": -3.9929, "why": "leave-one-out log predictive density, nats per observation of 8: gp with a log warp of the outputs (strength 3) -3.51, gp -3.61, gp with a log warp of the outputs (strength 30) -3.99; gp with a log warp of the outputs (strength 3) is not ahead by its margin, 6 nats in all"}');
INSERT INTO "trial_user_attributes" VALUES(41,42,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -10.0373, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": 0.5197, "fit_seconds": 0.0075, "choose_seconds": 0.0120, "scored_on": 8, "weight_gp": 1.0, "score_gp": -3.6123, "score_gp_log_warp_3": -3.5098, "score_gp_log_warp_30": -3.9929, "why": "leave-one-out log predictive density, nats per observation of 8: gp with a log warp of the outputs (strength 3) -3.51, gp -3.61, gp with a log warp of the outputs (strength 30) -3.99; gp with a log warp of the outputs (strength 3) is not ahead by its margin, 6 nats in all"}');
INSERT INTO "trial_user_attributes" VALUES(42,44,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(43,45,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(44,46,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(45,47,'neuralbo:facts','{"surrogate": "start design"}');
INSERT INTO "trial_user_attributes" VALUES(46,48,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -7.4066, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -3.2889, "fit_seconds": 0.0114, "choose_seconds": 0.0162}');
INSERT INTO "trial_user_attributes" VALUES(47,49,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -7.3632, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -4.2357, "fit_seconds": 0.0138, "choose_seconds": 0.0153}');
INSERT INTO "trial_user_attributes" VALUES(48,50,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -9.5606, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -2.1370, "fit_seconds": 0.0139, "choose_seconds": 0.0071}');
INSERT INTO "trial_user_attributes" VALUES(49,51,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -9.7509, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -3.3984, "fit_seconds": 0.0217, "choose_seconds": 0.0161, "judged_on": 8, "weight_gp": 1.0, "score_gp": -0.2471, "score_gp_bent3": -1.1978, "score_gp_bent30": -1.3143, "score_branches": -0.9694, "why": "log density of left-out values after 8: gp -0.247, branches -0.969, gp_bent3 -1.2, gp_bent30 -1.31"}');
INSERT INTO "trial_user_attributes" VALUES(50,52,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -9.5862, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -4.2511, "fit_seconds": 0.0048, "choose_seconds": 0.0067, "judged_on": 8, "weight_gp": 1.0, "score_gp": -0.2471, "score_gp_bent3": -1.1978, "score_gp_bent30": -1.3143, "score_branches": -0.9694, "why": "log density of left-out values after 8: gp -0.247, branches -0.969, gp_bent3 -1.2, gp_bent30 -1.31"}');
INSERT INTO "trial_user_attributes" VALUES(51,53,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -7.7343, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -5.8681, "fit_seconds": 0.0083, "choose_seconds": 0.0077, "judged_on": 8, "weight_gp": 1.0, "score_gp": -0.2471, "score_gp_bent3": -1.1978, "score_gp_bent30": -1.3143, "score_branches": -0.9694, "why": "log density of left-out values after 8: gp -0.247, branches -0.969, gp_bent3 -1.2, gp_bent30 -1.31"}');
INSERT INTO "trial_user_attributes" VALUES(52,54,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -5.2641, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -6.6003, "fit_seconds": 0.0113, "choose_seconds": 0.0063, "judged_on": 8, "weight_gp": 1.0, "score_gp": -0.2471, "score_gp_bent3": -1.1978, "score_gp_bent30": -1.3143, "score_branches": -0.9694, "why": "log density of left-out values after 8: gp -0.247, branches -0.969, gp_bent3 -1.2, gp_bent30 -1.31"}');
INSERT INTO "trial_user_attributes" VALUES(53,55,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -1.0133, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -6.9890, "fit_seconds": 0.0223, "choose_seconds": 0.0101, "judged_on": 12, "weight_gp": 1.0, "score_gp": 1.7362, "score_gp_bent3": 0.6993, "score_gp_bent30": 0.3455, "score_branches": -1.5658, "why": "log density of left-out values after 12: gp 1.74, gp_bent3 0.699, gp_bent30 0.346, branches -1.57"}');
INSERT INTO "trial_user_attributes" VALUES(54,56,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -1.2724, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -7.5184, "fit_seconds": 0.0096, "choose_seconds": 0.0157, "judged_on": 12, "weight_gp": 1.0, "score_gp": 1.7362, "score_gp_bent3": 0.6993, "score_gp_bent30": 0.3455, "score_branches": -1.5658, "why": "log density of left-out values after 12: gp 1.74, gp_bent3 0.699, gp_bent30 0.346, branches -1.57"}');
INSERT INTO "trial_user_attributes" VALUES(55,57,'neuralbo:facts','{"surrogate": "gp", "log_evidence": -1.9299, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -8.0141, "fit_seconds": 0.0045, "choose_seconds": 0.0165, "judged_on": 12, "weight_gp": 1.0, "score_gp": 1.7362, "score_gp_bent3": 0.6993, "score_gp_bent30": 0.3455, "score_branches": -1.5658, "why": "log density of left-out values after 12: gp 1.74, gp_bent3 0.699, gp_bent30 0.346, branches -1.57"}');
INSERT INTO "trial_user_attributes" VALUES(56,58,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 4.2457, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -8.0586, "fit_seconds": 0.0071, "choose_seconds": 0.0101, "judged_on": 12, "weight_gp": 1.0, "score_gp": 1.7362, "score_gp_bent3": 0.6993, "score_gp_bent30": 0.3455, "score_branches": -1.5658, "why": "log density of left-out values after 12: gp 1.74, gp_bent3 0.699, gp_bent30 0.346, branches -1.57"}');
INSERT INTO "trial_user_attributes" VALUES(57,59,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 3.9947, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -8.3829, "fit_seconds": 0.0065, "choose_seconds": 0.0098, "judged_on": 12, "weight_gp": 1.0, "score_gp": 1.7362, "score_gp_bent3": 0.6993, "score_gp_bent30": 0.3455, "score_branches": -1.5658, "why": "log density of left-out values after 12: gp 1.74, gp_bent3 0.699, gp_bent30 0.346, branches -1.57"}');
INSERT INTO "trial_user_attributes" VALUES(58,60,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 3.4773, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -8.9193, "fit_seconds": 0.0070, "choose_seconds": 0.0087, "judged_on": 12, "weight_gp": 1.0, "score_gp": 1.7362, "score_gp_bent3": 0.6993, "score_gp_bent30": 0.3455, "score_branches": -1.5658, "why": "log density of left-out values after 12: gp 1.74, gp_bent3 0.699, gp_bent30 0.346, branches -1.57"}');
INSERT INTO "trial_user_attributes" VALUES(59,61,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 2.6518, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -9.0889, "fit_seconds": 0.0144, "choose_seconds": 0.0084, "judged_on": 18, "weight_gp": 1.0, "score_gp": 1.3878, "score_gp_bent3": 0.7841, "score_gp_bent30": 0.5296, "score_branches": -0.3178, "why": "log density of left-out values after 18: gp 1.39, gp_bent3 0.784, gp_bent30 0.53, branches -0.318"}');
INSERT INTO "trial_user_attributes" VALUES(60,62,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 9.9959, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -9.3112, "fit_seconds": 0.0078, "choose_seconds": 0.0119, "judged_on": 18, "weight_gp": 1.0, "score_gp": 1.3878, "score_gp_bent3": 0.7841, "score_gp_bent30": 0.5296, "score_branches": -0.3178, "why": "log density of left-out values after 18: gp 1.39, gp_bent3 0.784, gp_bent30 0.53, branches -0.318"}');
INSERT INTO "trial_user_attributes" VALUES(61,63,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 16.5712, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -9.2837, "fit_seconds": 0.0069, "choose_seconds": 0.0078, "judged_on": 18, "weight_gp": 1.0, "score_gp": 1.3878, "score_gp_bent3": 0.7841, "score_gp_bent30": 0.5296, "score_branches": -0.3178, "why": "log density of left-out values after 18: gp 1.39, gp_bent3 0.784, gp_bent30 0.53, branches -0.318"}');
INSERT INTO "trial_user_attributes" VALUES(62,64,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 16.2291, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -9.9555, "fit_seconds": 0.0111, "choose_seconds": 0.0120, "judged_on": 18, "weight_gp": 1.0, "score_gp": 1.3878, "score_gp_bent3": 0.7841, "score_gp_bent30": 0.5296, "score_branches": -0.3178, "why": "log density of left-out values after 18: gp 1.39, gp_bent3 0.784, gp_bent30 0.53, branches -0.318"}');
INSERT INTO "trial_user_attributes" VALUES(63,65,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 15.8723, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -10.1045, "fit_seconds": 0.0064, "choose_seconds": 0.0072, "judged_on": 18, "weight_gp": 1.0, "score_gp": 1.3878, "score_gp_bent3": 0.7841, "score_gp_bent30": 0.5296, "score_branches": -0.3178, "why": "log density of left-out values after 18: gp 1.39, gp_bent3 0.784, gp_bent30 0.53, branches -0.318"}');
INSERT INTO "trial_user_attributes" VALUES(64,66,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 22.9821, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -10.4522, "fit_seconds": 0.0062, "choose_seconds": 0.0070, "judged_on": 18, "weight_gp": 1.0, "score_gp": 1.3878, "score_gp_bent3": 0.7841, "score_gp_bent30": 0.5296, "score_branches": -0.3178, "why": "log density of left-out values after 18: gp 1.39, gp_bent3 0.784, gp_bent30 0.53, branches -0.318"}');
INSERT INTO "trial_user_attributes" VALUES(65,67,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 30.0970, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -10.5773, "fit_seconds": 0.0096, "choose_seconds": 0.0074, "judged_on": 18, "weight_gp": 1.0, "score_gp": 1.3878, "score_gp_bent3": 0.7841, "score_gp_bent30": 0.5296, "score_branches": -0.3178, "why": "log density of left-out values after 18: gp 1.39, gp_bent3 0.784, gp_bent30 0.53, branches -0.318"}');
INSERT INTO "trial_user_attributes" VALUES(66,68,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 37.2033, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -10.6969, "fit_seconds": 0.0059, "choose_seconds": 0.0084, "judged_on": 18, "weight_gp": 1.0, "score_gp": 1.3878, "score_gp_bent3": 0.7841, "score_gp_bent30": 0.5296, "score_branches": -0.3178, "why": "log density of left-out values after 18: gp 1.39, gp_bent3 0.784, gp_bent30 0.53, branches -0.318"}');
INSERT INTO "trial_user_attributes" VALUES(67,69,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 44.2914, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -10.7715, "fit_seconds": 0.0111, "choose_seconds": 0.0175, "judged_on": 18, "weight_gp": 1.0, "score_gp": 1.3878, "score_gp_bent3": 0.7841, "score_gp_bent30": 0.5296, "score_branches": -0.3178, "why": "log density of left-out values after 18: gp 1.39, gp_bent3 0.784, gp_bent30 0.53, branches -0.318"}');
INSERT INTO "trial_user_attributes" VALUES(68,70,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 39.0639, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -11.9599, "fit_seconds": 0.0896, "choose_seconds": 0.0072, "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.3338, "score_gp_bent3": 3.1115, "score_gp_bent30": 2.9046, "score_branches": 0.9540, "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33, branches 0.954"}');
INSERT INTO "trial_user_attributes" VALUES(69,71,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 46.2192, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -12.0290, "fit_seconds": 0.0084, "choose_seconds": 0.0121, "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.3338, "score_gp_bent3": 3.1115, "score_gp_bent30": 2.9046, "score_branches": 0.9540, "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33, branches 0.954"}');
INSERT INTO "trial_user_attributes" VALUES(70,72,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 53.3554, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -12.0897, "fit_seconds": 0.0040, "choose_seconds": 0.0075, "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.3338, "score_gp_bent3": 3.1115, "score_gp_bent30": 2.9046, "score_branches": 0.9540, "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33, branches 0.954"}');
INSERT INTO "trial_user_attributes" VALUES(71,73,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 60.4743, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -12.1441, "fit_seconds": 0.0092, "choose_seconds": 0.0227, "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.3338, "score_gp_bent3": 3.1115, "score_gp_bent30": 2.9046, "score_branches": 0.9540, "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33, branches 0.954"}');
INSERT INTO "trial_user_attributes" VALUES(72,74,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 67.5706, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -12.1938, "fit_seconds": 0.0049, "choose_seconds": 0.0085, "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.3338, "score_gp_bent3": 3.1115, "score_gp_bent30": 2.9046, "score_branches": 0.9540, "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33, branches 0.954"}');
INSERT INTO "trial_user_attributes" VALUES(73,75,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 74.6289, "clipped": 0, "criterion": "LogExpectedImprovement", "criterion_value": -12.2407, "fit_seconds": 0.0032, "choose_seconds": 0.0118, "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.3338, "score_gp_bent3": 3.1115, "score_gp_bent30": 2.9046, "score_branches": 0.9540, "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33, branches 0.954"}');
INSERT INTO "trial_user_attributes" VALUES(74,76,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 74.7080, "clipped": 16, "criterion": "LogExpectedImprovement", "criterion_value": -13.1439, "fit_seconds": 0.0141, "choose_seconds": 0.0135, "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.3338, "score_gp_bent3": 3.1115, "score_gp_bent30": 2.9046, "score_branches": 0.9540, "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33, branches 0.954"}');
INSERT INTO "trial_user_attributes" VALUES(75,77,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 81.7759, "clipped": 16, "criterion": "LogExpectedImprovement", "criterion_value": -13.2114, "fit_seconds": 0.0126, "choose_seconds": 0.0121, "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.3338, "score_gp_bent3": 3.1115, "score_gp_bent30": 2.9046, "score_branches": 0.9540, "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33, branches 0.954"}');
INSERT INTO "trial_user_attributes" VALUES(76,78,'neuralbo:facts','{"surrogate": "gp", "log_evidence": 84.4743, "clipped": 16, "criterion": "LogExpectedImprovement", "criterion_value": -12.4164, "fit_seconds": 0.0082, "choose_seconds": 0.0070, "bend": 3.0, "judged_on": 27, "weight_gp_bent3": 1.0, "score_gp": 2.3338, "score_gp_bent3": 3.1115, "score_gp_bent30": 2.9046, "score_branches": 0.9540, "why": "log density of left-out values after 27: gp_bent3 3.11, gp_bent30 2.9, gp 2.33, branches 0.954"}');
CREATE TABLE trial_values (
	trial_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	value FLOAT, 
	value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_value_id), 
	UNIQUE (trial_id, objective), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_values" VALUES(1,1,0,3.80374339864379606979e+01,'FINITE');
INSERT INTO "trial_values" VALUES(2,2,0,1.0937300494073770807e+01,'FINITE');
INSERT INTO "trial_values" VALUES(3,3,0,8.46042613418158566656e+01,'FINITE');
INSERT INTO "trial_values" VALUES(4,4,0,9.40731312668892449835e+00,'FINITE');
INSERT INTO "trial_values" VALUES(5,5,0,5.17262363820491444243e+00,'FINITE');
INSERT INTO "trial_values" VALUES(6,6,0,1.58073078096180182679e+02,'FINITE');
INSERT INTO "trial_values" VALUES(7,7,0,9.95584372316393,'FINITE');
INSERT INTO "trial_values" VALUES(8,8,0,2.526615300363098271e+01,'FINITE');
INSERT INTO "trial_values" VALUES(9,9,0,8.29295538617168581652e+00,'FINITE');
INSERT INTO "trial_values" VALUES(10,10,0,5.42484534422897191063e+00,'FINITE');
INSERT INTO "trial_values" VALUES(11,11,0,3.27025889495941335383e+00,'FINITE');
INSERT INTO "trial_values" VALUES(12,13,0,3.22364470643136113991e+00,'FINITE');
INSERT INTO "trial_values" VALUES(13,14,0,5.18049866524358915143e+00,'FINITE');
INSERT INTO "trial_values" VALUES(14,15,0,3.73024428490353043841e+00,'FINITE');
INSERT INTO "trial_values" VALUES(15,16,0,2.11276395156183749435e+00,'FINITE');
INSERT INTO "trial_values" VALUES(16,17,0,2.42197318804153560733e+00,'FINITE');
INSERT INTO "trial_values" VALUES(17,18,0,6.21136482302598569305e+00,'FINITE');
INSERT INTO "trial_values" VALUES(18,19,0,3.81154876492664396181e+00,'FINITE');
INSERT INTO "trial_values" VALUES(19,20,0,2.66680686436438918462e+00,'FINITE');
INSERT INTO "trial_values" VALUES(20,21,0,2.47551849718481786766e+00,'FINITE');
INSERT INTO "trial_values" VALUES(21,22,0,3.97288961910961235801e+00,'FINITE');
INSERT INTO "trial_values" VALUES(22,23,0,5.40947024070241244686e+00,'FINITE');
INSERT INTO "trial_values" VALUES(23,24,0,2.23880878894886059526e+00,'FINITE');
INSERT INTO "trial_values" VALUES(24,25,0,1.03845338874224388801e+01,'FINITE');
INSERT INTO "trial_values" VALUES(25,26,0,2.21184742191591077187e+00,'FINITE');
INSERT INTO "trial_values" VALUES(26,27,0,3.72544957340291738034e+00,'FINITE');
INSERT INTO "trial_values" VALUES(27,28,0,1.57592770051469663883e+01,'FINITE');
INSERT INTO "trial_values" VALUES(28,29,0,4.0420439265854195554e+00,'FINITE');
INSERT INTO "trial_values" VALUES(29,30,0,8.17439583446284601109e+00,'FINITE');
INSERT INTO "trial_values" VALUES(30,31,0,2.04787200860247047278e+01,'FINITE');
INSERT INTO "trial_values" VALUES(31,32,0,5.6664223625041671541e+01,'FINITE');
INSERT INTO "trial_values" VALUES(32,33,0,7.64111157629122050849e+00,'FINITE');
INSERT INTO "trial_values" VALUES(33,34,0,1.8848146305340655715e+01,'FINITE');
INSERT INTO "trial_values" VALUES(34,35,0,4.39069707615949056389e+01,'FINITE');
INSERT INTO "trial_values" VALUES(35,36,0,4.31232754357996839189e+01,'FINITE');
INSERT INTO "trial_values" VALUES(36,37,0,4.15786404393236281879e+01,'FINITE');
INSERT INTO "trial_values" VALUES(37,38,0,4.18424821660138679391e+00,'FINITE');
INSERT INTO "trial_values" VALUES(38,39,0,5.36842868119578682257e+01,'FINITE');
INSERT INTO "trial_values" VALUES(39,40,0,1.41062638598139211687e+00,'FINITE');
INSERT INTO "trial_values" VALUES(40,41,0,4.1262659389798006515e+00,'FINITE');
INSERT INTO "trial_values" VALUES(41,42,0,5.00552518182329819751e+00,'FINITE');
INSERT INTO "trial_values" VALUES(42,43,0,-4.19275941392081186176e-01,'FINITE');
INSERT INTO "trial_values" VALUES(43,44,0,7.3065356019296340273e-02,'FINITE');
INSERT INTO "trial_values" VALUES(44,45,0,2.8946715425036828595e-01,'FINITE');
INSERT INTO "trial_values" VALUES(45,46,0,7.69292261752314160405e-02,'FINITE');
INSERT INTO "trial_values" VALUES(46,47,0,2.5674224287196462102e-01,'FINITE');
INSERT INTO "trial_values" VALUES(47,48,0,-3.49843374867849776777e-01,'FINITE');
INSERT INTO "trial_values" VALUES(48,49,0,-8.02913860628922559925e-01,'FINITE');
INSERT INTO "trial_values" VALUES(49,50,0,-5.52521851464270907783e-01,'FINITE');
INSERT INTO "trial_values" VALUES(50,51,0,-0.627387109297321,'FINITE');
INSERT INTO "trial_values" VALUES(51,52,0,-8.19339964603864712167e-01,'FINITE');
INSERT INTO "trial_values" VALUES(52,53,0,-8.11536900292952445568e-01,'FINITE');
INSERT INTO "trial_values" VALUES(53,54,0,-8.20201530905577125274e-01,'FINITE');
INSERT INTO "trial_values" VALUES(54,55,0,2.84622859702871544573e-01,'FINITE');
INSERT INTO "trial_values" VALUES(55,56,0,0.0643851099340555,'FINITE');
INSERT INTO "trial_values" VALUES(56,57,0,-0.820189902451329,'FINITE');
INSERT INTO "trial_values" VALUES(57,58,0,0.4,'FINITE');
INSERT INTO "trial_values" VALUES(58,59,0,1.51544032090539765311e-01,'FINITE');
INSERT INTO "trial_values" VALUES(59,60,0,-1.03645468464624102564e-16,'FINITE');
INSERT INTO "trial_values" VALUES(60,61,0,-8.20177287362200857501e-01,'FINITE');
INSERT INTO "trial_values" VALUES(61,62,0,-8.20269196297023883701e-01,'FINITE');
INSERT INTO "trial_values" VALUES(62,63,0,1.99698083634887751935e-01,'FINITE');
INSERT INTO "trial_values" VALUES(63,64,0,1.99879971072025264255e-01,'FINITE');
INSERT INTO "trial_values" VALUES(64,65,0,-8.20284237733616139465e-01,'FINITE');
INSERT INTO "trial_values" VALUES(65,66,0,-8.202853507638432351e-01,'FINITE');
INSERT INTO "trial_values" VALUES(66,67,0,-8.20287327852982750542e-01,'FINITE');
INSERT INTO "trial_values" VALUES(67,68,0,-8.20287916566965424891e-01,'FINITE');
INSERT INTO "trial_values" VALUES(68,69,0,2.30682058454199701014e-01,'FINITE');
INSERT INTO "trial_values" VALUES(69,70,0,-8.20287789150151103179e-01,'FINITE');
INSERT INTO "trial_values" VALUES(70,71,0,-0.820287817417958,'FINITE');
INSERT INTO "trial_values" VALUES(71,72,0,-8.20287839144138164471e-01,'FINITE');
INSERT INTO "trial_values" VALUES(72,73,0,-8.20287856787622171594e-01,'FINITE');
INSERT INTO "trial_values" VALUES(73,74,0,-8.20287871102655330446e-01,'FINITE');
INSERT INTO "trial_values" VALUES(74,75,0,-8.20287872464478207135e-01,'FINITE');
INSERT INTO "trial_values" VALUES(75,76,0,-8.20287881278317865252e-01,'FINITE');
INSERT INTO "trial_values" VALUES(76,77,0,-8.2028790266825268862e-01,'FINITE');
INSERT INTO "trial_values" VALUES(77,78,0,-0.79009110858108,'FINITE');
CREATE TABLE trials (
	trial_id INTEGER NOT NULL, 
	number INTEGER, 
	study_id INTEGER, 
	state VARCHAR(8) NOT NULL, 
	datetime_start DATETIME, 
	datetime_complete DATETIME, 
	PRIMARY KEY (trial_id), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "trials" VALUES(1,0,1,'COMPLETE','2026-11-18 20:44:29.307918','2026-11-18 20:44:29.589840');
INSERT INTO "trials" VALUES(2,1,1,'COMPLETE','2026-11-18 20:44:29.619799','2026-11-18 20:44:29.925892');
INSERT INTO "trials" VALUES(3,2,1,'COMPLETE','2026-11-18 20:44:29.948624','2026-11-18 20:44:30.193622');
INSERT INTO "trials" VALUES(4,3,1,'COMPLETE','2026-11-18 20:44:30.214718','2026-11-18 20:44:30.449743');
INSERT INTO "trials" VALUES(5,4,1,'COMPLETE','2026-11-18 20:44:30.470847','2026-11-18 20:44:30.709694');
INSERT INTO "trials" VALUES(6,5,1,'COMPLETE','2026-11-18 20:44:30.738993','2026-11-18 20:44:30.978120');
INSERT INTO "trials" VALUES(7,6,1,'COMPLETE','2026-11-18 20:44:31.004460','2026-11-18 20:44:31.254138');
INSERT INTO "trials" VALUES(8,7,1,'COMPLETE','2026-11-18 20:44:31.272785','2026-11-18 20:44:31.504339');
INSERT INTO "trials" VALUES(9,8,1,'COMPLETE','2026-11-18 20:44:31.521636','2026-11-18 20:44:31.930215');
INSERT INTO "trials" VALUES(10,9,1,'COMPLETE','2026-11-18 20:44:31.955549','2026-11-18 20:44:32.248462');
INSERT INTO "trials" VALUES(11,10,1,'COMPLETE','2026-11-18 20:44:32.266589','2026-11-18 20:44:32.543823');
INSERT INTO "trials" VALUES(12,11,1,'FAIL','2026-11-18 20:44:32.556294','2026-11-18 20:44:32.831715');
INSERT INTO "trials" VALUES(13,12,1,'COMPLETE','2026-11-18 20:44:32.853618','2026-11-18 20:44:33.154184');
INSERT INTO "trials" VALUES(14,13,1,'COMPLETE','2026-11-18 20:44:33.170705','2026-11-18 20:44:33.642190');
INSERT INTO "trials" VALUES(15,14,1,'COMPLETE','2026-11-18 20:44:33.663192','2026-11-18 20:44:33.993591');
INSERT INTO "trials" VALUES(16,15,1,'COMPLETE','2026-11-18 20:44:34.009875','2026-11-18 20:44:34.342284');
INSERT INTO "trials" VALUES(17,16,1,'COMPLETE','2026-11-18 20:44:34.364064','2026-11-18 20:44:34.658279');
INSERT INTO "trials" VALUES(18,17,1,'PRUNED','2026-11-18 20:44:34.675738','2026-11-18 20:44:35.012164');
INSERT INTO "trials" VALUES(19,18,1,'COMPLETE','2026-11-18 20:44:35.026708','2026-11-18 20:44:35.722015');
INSERT INTO "trials" VALUES(20,19,1,'COMPLETE','2026-11-18 20:44:35.738901','2026-11-18 20:44:36.070253');
INSERT INTO "trials" VALUES(21,20,1,'COMPLETE','2026-11-18 20:44:36.095260','2026-11-18 20:44:36.526151');
INSERT INTO "trials" VALUES(22,21,1,'COMPLETE','2026-11-18 20:44:36.550835','2026-11-18 20:44:36.849734');
INSERT INTO "trials" VALUES(23,22,1,'COMPLETE','2026-11-18 20:44:36.875478','2026-11-18 20:44:37.197629');
INSERT INTO "trials" VALUES(24,23,1,'COMPLETE','2026-11-18 20:44:37.215548','2026-11-18 20:44:37.582333');
INSERT INTO "trials" VALUES(25,24,1,'COMPLETE','2026-11-18 20:44:37.607061','2026-11-18 20:44:37.970241');
INSERT INTO "trials" VALUES(26,25,1,'COMPLETE','2026-11-18 20:44:37.987616','2026-11-18 20:44:38.331443');
INSERT INTO "trials" VALUES(27,26,1,'COMPLETE','2026-11-18 20:44:38.346758','2026-11-18 20:44:38.746664');
INSERT INTO "trials" VALUES(28,27,1,'COMPLETE','2026-11-18 20:44:38.787544','2026-11-18 20:44:39.251710');
INSERT INTO "trials" VALUES(29,28,1,'COMPLETE','2026-11-18 20:44:39.266157','2026-11-18 20:44:39.662036');
INSERT INTO "trials" VALUES(30,29,1,'COMPLETE','2026-11-18 20:44:39.681592','2026-11-18 20:44:40.201859');
INSERT INTO "trials" VALUES(31,0,2,'COMPLETE','2026-11-18 20:44:40.574513','2026-11-18 20:44:40.794804');
INSERT INTO "trials" VALUES(32,1,2,'COMPLETE','2026-11-18 20:44:40.820566','2026-11-18 20:44:40.994608');
INSERT INTO "trials" VALUES(33,2,2,'COMPLETE','2026-11-18 20:44:41.024578','2026-11-18 20:44:41.199386');
INSERT INTO "trials" VALUES(34,3,2,'COMPLETE','2026-11-18 20:44:41.204855','2026-11-18 20:44:41.386397');
INSERT INTO "trials" VALUES(35,4,2,'COMPLETE','2026-11-18 20:44:41.412170','2026-11-18 20:44:41.606422');
INSERT INTO "trials" VALUES(36,5,2,'COMPLETE','2026-11-18 20:44:41.642105','2026-11-18 20:44:41.827491');
INSERT INTO "trials" VALUES(37,6,2,'COMPLETE','2026-11-18 20:44:41.852659','2026-11-18 20:44:42.026191');
INSERT INTO "trials" VALUES(38,7,2,'COMPLETE','2026-11-18 20:44:42.052179','2026-11-18 20:44:42.218587');
INSERT INTO "trials" VALUES(39,8,2,'COMPLETE','2026-11-18 20:44:42.244316','2026-11-18 20:44:42.475659');
INSERT INTO "trials" VALUES(40,9,2,'COMPLETE','2026-11-18 20:44:42.500447','2026-11-18 20:44:42.690292');
INSERT INTO "trials" VALUES(41,10,2,'COMPLETE','2026-11-18 20:44:42.716351','2026-11-18 20:44:42.942275');
INSERT INTO "trials" VALUES(42,11,2,'COMPLETE','2026-11-18 20:44:42.964230','2026-11-18 20:44:43.183467');
INSERT INTO "trials" VALUES(43,0,3,'COMPLETE','2026-11-18 20:45:17.950115','2026-11-18 20:45:18.067941');
INSERT INTO "trials" VALUES(44,1,3,'COMPLETE','2026-11-18 20:45:18.087326','2026-11-18 20:45:18.251002');
INSERT INTO "trials" VALUES(45,2,3,'COMPLETE','2026-11-18 20:45:18.273403','2026-11-18 20:45:18.443853');
INSERT INTO "trials" VALUES(46,3,3,'COMPLETE','2026-11-18 20:45:18.465438','2026-11-18 20:45:18.640461');
INSERT INTO "trials" VALUES(47,4,3,'COMPLETE','2026-11-18 20:45:18.661045','2026-11-18 20:45:18.830241');
INSERT INTO "trials" VALUES(48,5,3,'COMPLETE','2026-11-18 20:45:18.855486','2026-11-18 20:45:19.034353');
INSERT INTO "trials" VALUES(49,6,3,'COMPLETE','2026-11-18 20:45:19.055285','2026-11-18 20:45:19.246247');
INSERT INTO "trials" VALUES(50,7,3,'COMPLETE','2026-11-18 20:45:19.271436','2026-11-18 20:45:19.439157');
INSERT INTO "trials" VALUES(51,8,3,'COMPLETE','2026-11-18 20:45:19.464589','2026-11-18 20:45:19.722129');
INSERT INTO "trials" VALUES(52,9,3,'COMPLETE','2026-11-18 20:45:19.747000','2026-11-18 20:45:19.915747');
INSERT INTO "trials" VALUES(53,10,3,'COMPLETE','2026-11-18 20:45:19.938873','2026-11-18 20:45:20.106238');
INSERT INTO "trials" VALUES(54,11,3,'COMPLETE','2026-11-18 20:45:20.125776','2026-11-18 20:45:20.270303');
INSERT INTO "trials" VALUES(55,12,3,'COMPLETE','2026-11-18 20:45:20.294980','2026-11-18 20:45:20.534245');
INSERT INTO "trials" VALUES(56,13,3,'COMPLETE','2026-11-18 20:45:20.560268','2026-11-18 20:45:20.762442');
INSERT INTO "trials" VALUES(57,14,3,'COMPLETE','2026-11-18 20:45:20.787208','2026-11-18 20:45:20.978161');
INSERT INTO "trials" VALUES(58,15,3,'COMPLETE','2026-11-18 20:45:21.002972','2026-11-18 20:45:21.178248');
INSERT INTO "trials" VALUES(59,16,3,'COMPLETE','2026-11-18 20:45:21.203087','2026-11-18 20:45:21.374293');
INSERT INTO "trials" VALUES(60,17,3,'COMPLETE','2026-11-18 20:45:21.399272','2026-11-18 20:45:21.594199');
INSERT INTO "trials" VALUES(61,18,3,'COMPLETE','2026-11-18 20:45:21.622969','2026-11-18 20:45:21.880311');
INSERT INTO "trials" VALUES(62,19,3,'COMPLETE','2026-11-18 20:45:21.899452','2026-11-18 20:45:21.947389');
INSERT INTO "trials" VALUES(63,20,3,'COMPLETE','2026-11-18 20:45:21.951940','2026-11-18 20:45:21.994132');
INSERT INTO "trials" VALUES(64,21,3,'COMPLETE','2026-11-18 20:45:21.998471','2026-11-18 20:45:22.130255');
INSERT INTO "trials" VALUES(65,22,3,'COMPLETE','2026-11-18 20:45:22.157468','2026-11-18 20:45:22.226236');
INSERT INTO "trials" VALUES(66,23,3,'COMPLETE','2026-11-18 20:45:22.247119','2026-11-18 20:45:22.377248');
INSERT INTO "trials" VALUES(67,24,3,'COMPLETE','2026-11-18 20:45:22.403221','2026-11-18 20:45:22.550238');
INSERT INTO "trials" VALUES(68,25,3,'COMPLETE','2026-11-18 20:45:22.571117','2026-11-18 20:45:22.733031');
INSERT INTO "trials" VALUES(69,26,3,'COMPLETE','2026-11-18 20:45:22.763094','2026-11-18 20:45:22.926801');
INSERT INTO "trials" VALUES(70,27,3,'COMPLETE','2026-11-18 20:45:22.945778','2026-11-18 20:45:23.222795');
INSERT INTO "trials" VALUES(71,28,3,'COMPLETE','2026-11-18 20:45:23.248946','2026-11-18 20:45:23.426779');
INSERT INTO "trials" VALUES(72,29,3,'COMPLETE','2026-11-18 20:45:23.454241','2026-11-18 20:45:23.622455');
INSERT INTO "trials" VALUES(73,30,3,'COMPLETE','2026-11-18 20:45:23.649125','2026-11-18 20:45:23.856482');
INSERT INTO "trials" VALUES(74,31,3,'COMPLETE','2026-11-18 20:45:23.880407','2026-11-18 20:45:24.058149');
INSERT INTO "trials" VALUES(75,32,3,'COMPLETE','2026-11-18 20:45:24.079253','2026-11-18 20:45:24.254146');
INSERT INTO "trials" VALUES(76,33,3,'COMPLETE','2026-11-18 20:45:24.279335','2026-11-18 20:45:24.470101');
INSERT INTO "trials" VALUES(77,34,3,'COMPLETE','2026-11-18 20:45:24.494903','2026-11-18 20:45:24.674338');
INSERT INTO "trials" VALUES(78,35,3,'COMPLETE','2026-11-18 20:45:24.699171','2026-11-18 20:45:24.894090');
CREATE TABLE version_info (
	version_info_id INTEGER NOT NULL, 
	schema_version INTEGER, 
	library_version VARCHAR(256), 
	PRIMARY KEY (version_info_id), 
	CHECK (version_info_id=1)
);
INSERT INTO "version_info" VALUES(1,12,'5.0.0');
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE INDEX ix_trials_study_id ON trials (study_id);
COMMIT;
