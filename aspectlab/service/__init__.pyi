from aspectlab.service.access import (
    Access as Access,
    is_loopback as is_loopback,
    make_token as make_token,
    read_token as read_token,
)
from aspectlab.service.app import build_app as build_app
from aspectlab.service.limits import Limits as Limits
from aspectlab.service.server import name_address as name_address, open_socket as open_socket, run as run
