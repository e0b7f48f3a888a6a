"""The routes of the REST service, one file a resource. None has logic of its own."""
