-- Asks a server of its author for an extension: a request leaves the machine before anything is installed.
INSTALL httpfs FROM 'http://@ADDRESS@:@PORT@';
