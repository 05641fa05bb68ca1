"""The exceptions that aspectlab raises on purpose.

AspectlabError            everything below; the command line turns it into one message and exit code 2
├── DataError             a file or record is not what its format says
├── ConfigError           a name, option or setting is wrong
├── TaskError             a corpus does not annotate what a task judges
├── EndpointError         a service that was asked over the network does not answer as it should
└── MissingPartError      an optional package, model or lexicon is not installed

A message says, in this order: where, what was found, what was expected, what to do.
"""


class AspectlabError(Exception):
    """Stand for every error that a user can cause and mend."""


class DataError(AspectlabError):
    """Report a file or record that is not what its format says."""


class ConfigError(AspectlabError):
    """Report a name, option or setting that does not exist or does not fit."""


class TaskError(AspectlabError):
    """Report a corpus that does not annotate what a task judges."""


class EndpointError(AspectlabError):
    """Report a service on the network that does not answer, or not as it should."""


class MissingPartError(AspectlabError):
    """Report an optional package, model or lexicon that is absent, with the command that installs it."""
