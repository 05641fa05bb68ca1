from aspectlab.service.app import build_app as build_app
from aspectlab.service.guard import is_loopback as is_loopback, read_token as read_token
from aspectlab.service.limits import Limits as Limits
from aspectlab.service.server import name_address as name_address, open_socket as open_socket, run as run
