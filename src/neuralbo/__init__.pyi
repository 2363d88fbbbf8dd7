# The one table of public names: what stands here is loaded when it is first used (`__init__.py`
# reads this file), and is what type checkers, editors and the reference of the documentation see.
# To add a name, add its line: `from HOME import NAME as NAME`, in one line.

from neuralbo import criteria as criteria
from neuralbo import maximizers as maximizers
from neuralbo import policies as policies
from neuralbo import report as report
from neuralbo import surrogates as surrogates
from neuralbo.data import Data as Data
from neuralbo.errors import FailedTrialWarning as FailedTrialWarning
from neuralbo.errors import FallbackWarning as FallbackWarning
from neuralbo.errors import FitError as FitError
from neuralbo.errors import NeuralboWarning as NeuralboWarning
from neuralbo.errors import NoValueError as NoValueError
from neuralbo.errors import StorageError as StorageError
from neuralbo.interfaces import stopping as stopping
from neuralbo.interfaces.botorch import FittedOnDemand as FittedOnDemand
from neuralbo.interfaces.maximize import maximize as maximize
from neuralbo.interfaces.measured import Measured as Measured
from neuralbo.interfaces.minimize import Result as Result
from neuralbo.interfaces.minimize import minimize as minimize
from neuralbo.interfaces.optimizer import Optimizer as Optimizer
from neuralbo.interfaces.optuna.pruner import NeuralPruner as NeuralPruner
from neuralbo.interfaces.optuna.reports import report_values as report_values
from neuralbo.interfaces.optuna.reports import should_prune as should_prune
from neuralbo.interfaces.optuna.resume import resumed as resumed
from neuralbo.interfaces.optuna.sampler import NeuralSampler as NeuralSampler
from neuralbo.interfaces.sklearn import NeuralSearchCV as NeuralSearchCV
from neuralbo.reporting import analysis as analysis
from neuralbo.reporting import plots as plots
from neuralbo.space import Categorical as Categorical
from neuralbo.space import Integer as Integer
from neuralbo.space import Real as Real
from neuralbo.space import Space as Space
from neuralbo.space import at_most as at_most
from neuralbo.space import sum_to as sum_to
from neuralbo.space.parameter_priors import around as around

__version__: str
__all__: list[str]
