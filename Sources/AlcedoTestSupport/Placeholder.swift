import Alcedo
