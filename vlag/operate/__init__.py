"""What runs an installation: the service, its backup, its farm."""
