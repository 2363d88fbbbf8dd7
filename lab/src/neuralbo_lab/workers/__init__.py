"""Worker processes, and the servers of their storages."""
