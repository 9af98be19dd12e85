#!/bin/sh
# Makes an authority, and one certificate for the servers of compose.production.yaml, in the folder of
# secrets. Needs OpenSSL 3.
#
#     sh certificates.sh secrets
#
# ca.key is mounted nowhere: keep it elsewhere, for the next certificate.
set -eu
cd "$1"
chmod 700 .
umask 077
names=DNS:kafka,DNS:kafka-2,DNS:kafka-3,DNS:redis-volatile,DNS:redis-durable,DNS:redis-durable-replica
openssl req -x509 -newkey rsa:3072 -nodes -days 3650 -subj "/CN=Faceline servers" -keyout ca.key -out ca.pem
openssl req -x509 -newkey rsa:3072 -nodes -days 365 -subj "/CN=faceline" -addext "subjectAltName=$names" \
    -addext basicConstraints=critical,CA:FALSE -CA ca.pem -CAkey ca.key -keyout server.key -out server.pem
cat server.key server.pem > kafka.pem
# Servers read them as users of their own. Nobody else enters the folder.
chmod 444 ca.pem server.pem server.key kafka.pem
