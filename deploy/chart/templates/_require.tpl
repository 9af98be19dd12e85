{{- define "faceline.poolNames" -}}
{{- $names := list -}}
{{- range .Values.pools }}{{ $names = append $names .name }}{{ end -}}
{{- join "," $names -}}
{{- end -}}

{{/* What the schema cannot say. Each sentence names the value to correct. */}}
{{- define "faceline.requireValues" -}}
{{- $values := .Values -}}
{{- $volatile := $values.redis.volatile -}}
{{- $names := splitList "," (include "faceline.poolNames" .) -}}
{{- if not $values.images.registry }}{{ fail "images.registry: say where the images of Faceline are, such as registry.example/faceline" }}{{ end -}}
{{- if not $values.kafka.brokers }}{{ fail "kafka.brokers: name at least one broker, as host:port" }}{{ end -}}
{{- if not $values.redis.durable.address }}{{ fail "redis.durable.address: name the durable Redis, as host:port" }}{{ end -}}
{{- if and $volatile.deploy $volatile.address }}{{ fail "redis.volatile: deploy runs a server, and address names another; set one of them" }}{{ end -}}
{{- if not (or $volatile.deploy $volatile.address) }}{{ fail "redis.volatile: set deploy, or the address of a server, as host:port" }}{{ end -}}
{{- if and $volatile.deploy $volatile.tls }}{{ fail "redis.volatile.tls: the server of this chart has no TLS; name one that has by address" }}{{ end -}}
{{- if ne (len $names) (len (uniq $names)) }}{{ fail "pools: two pools have the same name" }}{{ end -}}
{{- if and $values.smtp.address (not $values.smtp.from) }}{{ fail "smtp.from: mails need a sender" }}{{ end -}}
{{- if and $values.smtp.address (not $values.settings.ingress.PUBLIC_URL) }}{{ fail "settings.ingress.PUBLIC_URL: mails name it, so it must be set with smtp.address" }}{{ end -}}
{{- if and $values.monitoring.prometheusRule.enabled (not $values.monitoring.runbookBaseUrl) }}{{ fail "monitoring.runbookBaseUrl: alerts link to it; say where you keep docs/operating" }}{{ end -}}
{{- if and $values.ingress.route.enabled (not $values.ingress.route.host) }}{{ fail "ingress.route.host: name the host that is routed here" }}{{ end -}}
{{- if and $values.ingress.httpRoute.enabled (not $values.ingress.httpRoute.parentRefs) }}{{ fail "ingress.httpRoute.parentRefs: name the Gateway" }}{{ end -}}
{{- if gt (len (list $values.models.volume $values.models.image $values.models.thresholds | compact)) 1 }}{{ fail "models: set one of volume, image and thresholds; the first two bring a folder of thresholds" }}{{ end -}}
{{- if and $values.telemetry.headers.key (not $values.telemetry.endpoint) }}{{ fail "telemetry.endpoint: headers are sent nowhere without it" }}{{ end -}}
{{- end -}}
