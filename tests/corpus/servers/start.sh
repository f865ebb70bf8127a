#!/bin/sh
systemctl start nginx
