{{/*
The files of secrets of a service, as JSON: setting → { secret, key }. "faceline.secretFiles" (dict "root" $
"service" "ingress"); services are ingress, batcher, inference and setUp. Every name of a setting in these
templates is in quotes or after `name:`, where tools/tidy/chart.test.ts finds it.
*/}}
{{- define "faceline.secretFiles" -}}
{{- $values := .root.Values -}}
{{- $redis := $values.redis -}}
{{- $files := dict -}}
{{- if $values.kafka.sasl.mechanism -}}
{{- $_ := set $files "KAFKA_SASL_PASSWORD_FILE" $values.kafka.sasl.password -}}
{{- end -}}
{{- if $values.kafka.tls.enabled -}}
{{- $_ := set $files "KAFKA_TLS_CA_FILE" $values.kafka.tls.ca -}}
{{- $_ := set $files "KAFKA_TLS_CERTIFICATE_FILE" $values.kafka.tls.certificate -}}
{{- $_ := set $files "KAFKA_TLS_KEY_FILE" $values.kafka.tls.privateKey -}}
{{- end -}}
{{- if or $redis.volatile.tls $redis.durable.tls -}}
{{- $_ := set $files "REDIS_TLS_CA_FILE" $redis.tls.ca -}}
{{- $_ := set $files "REDIS_TLS_CERTIFICATE_FILE" $redis.tls.certificate -}}
{{- $_ := set $files "REDIS_TLS_KEY_FILE" $redis.tls.privateKey -}}
{{- end -}}
{{- if eq .service "setUp" -}}
{{- if .storesFirstKey -}}
{{- $_ := set $files "FIRST_KEY_FILE" $values.setUp.firstKey -}}
{{- $_ := set $files "REDIS_DURABLE_PASSWORD_FILE" $redis.durable.users.keys.password -}}
{{- end -}}
{{- else -}}
{{- $_ := set $files "OPERATORS_TOKEN_FILE" $values.operators.token -}}
{{- $_ := set $files "REDIS_VOLATILE_PASSWORD_FILE" (get $redis.volatile.users .service).password -}}
{{- end -}}
{{- if eq .service "ingress" -}}
{{- $_ := set $files "REDIS_DURABLE_PASSWORD_FILE" $redis.durable.users.ingress.password -}}
{{- if $values.smtp.address -}}
{{- $_ := set $files "SMTP_PASSWORD_FILE" $values.smtp.password -}}
{{- end -}}
{{- end -}}
{{- range $setting, $reference := $files -}}
{{- if not $reference.key -}}
{{- $_ := unset $files $setting -}}
{{- end -}}
{{- end -}}
{{- toJson $files -}}
{{- end -}}

{{/* REDIS_DURABLE_PASSWORD_FILE → redis-durable-password */}}
{{- define "faceline.fileName" -}}
{{ . | trimSuffix "_FILE" | lower | replace "_" "-" }}
{{- end -}}

{{- define "faceline.fileEnvironment" -}}
{{- range $setting, $reference := . }}
- { name: {{ $setting }}, value: /run/secrets/faceline/{{ include "faceline.fileName" $setting }} }
{{- end }}
{{- end -}}

{{- define "faceline.kafkaEnvironment" -}}
{{- $kafka := .Values.kafka -}}
- { name: KAFKA_BROKERS, value: {{ join "," $kafka.brokers | quote }} }
- { name: KAFKA_TLS, value: {{ ternary "on" "off" $kafka.tls.enabled | quote }} }
{{- if $kafka.sasl.mechanism }}
- { name: KAFKA_SASL_MECHANISM, value: {{ $kafka.sasl.mechanism }} }
- { name: KAFKA_SASL_USERNAME, value: {{ $kafka.sasl.username | quote }} }
{{- end }}
{{- end -}}

{{/* "faceline.redisUrl" (dict "server" .Values.redis.durable "address" … "user" "ingress") */}}
{{- define "faceline.redisUrl" -}}
{{- $user := get .server.users .user -}}
{{ ternary "rediss" "redis" .server.tls }}://{{ with $user.name }}{{ . }}@{{ end }}{{ .address }}
{{- end -}}

{{- define "faceline.volatileAddress" -}}
{{- if .Values.redis.volatile.deploy -}}
{{ include "faceline.fullname" . }}-redis-volatile:6379
{{- else -}}
{{ .Values.redis.volatile.address }}
{{- end -}}
{{- end -}}

{{/* Where a process is, by the names of OpenTelemetry, and the headers of what it sends. Kubernetes replaces $(…). */}}
{{- define "faceline.resourceEnvironment" -}}
{{- $values := .root.Values -}}
{{- $place := printf "k8s.namespace.name=%s,k8s.deployment.name=%s,k8s.container.name=%s" .root.Release.Namespace .name .component -}}
{{- $pod := "k8s.pod.name=$(POD_NAME),k8s.pod.uid=$(POD_UID),k8s.node.name=$(NODE_NAME)" -}}
- { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
- { name: POD_UID, valueFrom: { fieldRef: { fieldPath: metadata.uid } } }
- { name: NODE_NAME, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }
- name: OTEL_RESOURCE_ATTRIBUTES
  value: {{ list $place $pod $values.settings.all.OTEL_RESOURCE_ATTRIBUTES | compact | join "," | quote }}
{{- with $values.telemetry.headers }}
{{- if .key }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom: { secretKeyRef: { name: {{ .secret | default $values.secret }}, key: {{ .key | quote }} } }
{{- end }}
{{- end }}
{{- end -}}

{{/* What every service reads. */}}
{{- define "faceline.serviceEnvironment" -}}
{{- $values := .root.Values -}}
{{- $volatile := $values.redis.volatile -}}
{{ include "faceline.kafkaEnvironment" .root }}
{{ include "faceline.resourceEnvironment" . }}
{{- include "faceline.modelsEnvironment" . }}
- name: REDIS_VOLATILE_URL
  value: {{ include "faceline.redisUrl" (dict "server" $volatile "address" (include "faceline.volatileAddress" .root) "user" .service) | quote }}
- { name: REDIS_VOLATILE_CONFIG_UNREADABLE, value: {{ $volatile.configUnreadable }} }
- { name: OPERATORS_HOST, value: "0.0.0.0" }
- { name: OPERATORS_PORT, value: {{ $values.operators.port | quote }} }
{{- with $values.telemetry.endpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- if and $values.monitoring.serviceMonitor.enabled (not (hasKey $values.settings.all "OTEL_METRICS_EXPORTER")) }}
{{- /* Metrics that are scraped and sent would count twice. Quoted, because `settings` may replace it. */}}
- { name: "OTEL_METRICS_EXPORTER", value: none }
{{- end }}
{{- include "faceline.fileEnvironment" .secretFiles }}
{{- end -}}

{{/* "faceline.settings" (list $settings.all $settings.ingress): the later ones come first. */}}
{{- define "faceline.settings" -}}
{{- $all := dict -}}
{{- range . }}{{ range $name, $value := . }}{{ $_ := set $all $name $value }}{{ end }}{{ end -}}
{{- range $name, $value := omit $all "OTEL_RESOURCE_ATTRIBUTES" }}
- { name: {{ $name }}, value: {{ include "faceline.text" $value | quote }} }
{{- end }}
{{- end -}}

{{/* Helm reads numbers as floating point, and would write 16777216 as 1.6777216e+07. */}}
{{- define "faceline.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}
