{{/* The port at the end of host:port or of an address. "faceline.port" (dict "address" … "standard" 443) */}}
{{- define "faceline.port" -}}
{{- $text := .address | trimSuffix "/" -}}
{{ regexFind ":[0-9]+$" $text | trimPrefix ":" | default .standard }}
{{- end -}}

{{/* One rule of egress. "faceline.egress" (dict "peers" list "ports" list); no peers: any address. */}}
{{- define "faceline.egress" -}}
- ports:
{{- range .ports | uniq }}
    - { port: {{ . }}, protocol: TCP }
{{- end }}
{{- with .peers }}
  to: {{ toYaml . | nindent 4 }}
{{- end }}
{{- end -}}

{{/* DNS, and what operators add for all pods. */}}
{{- define "faceline.dnsEgress" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- with .Values.networkPolicies.dnsPeers }}
  to: {{ toYaml . | nindent 4 }}
{{- end }}
{{- with .Values.networkPolicies.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "faceline.kafkaEgress" -}}
{{- $ports := list -}}
{{- range .Values.kafka.brokers }}{{ $ports = append $ports (include "faceline.port" (dict "address" . "standard" "9092")) }}{{ end -}}
{{- range .Values.kafka.ports }}{{ $ports = append $ports (toString (int .)) }}{{ end -}}
{{ include "faceline.egress" (dict "ports" $ports "peers" .Values.kafka.peers) }}
{{- end -}}

{{- define "faceline.volatileEgress" -}}
{{- $volatile := .Values.redis.volatile -}}
{{- $peers := $volatile.peers -}}
{{- if $volatile.deploy -}}
{{- $labels := include "faceline.selector" (dict "root" . "component" "redis-volatile") | fromYaml -}}
{{- $peers = list (dict "podSelector" (dict "matchLabels" $labels)) -}}
{{- end -}}
{{- $port := include "faceline.port" (dict "address" (include "faceline.volatileAddress" .) "standard" "6379") -}}
{{ include "faceline.egress" (dict "ports" (list $port) "peers" $peers) }}
{{- end -}}

{{- define "faceline.durableEgress" -}}
{{- $durable := .Values.redis.durable -}}
{{- $port := include "faceline.port" (dict "address" $durable.address "standard" "6379") -}}
{{ include "faceline.egress" (dict "ports" (list $port) "peers" $durable.peers) }}
{{- end -}}

{{- define "faceline.telemetryEgress" -}}
{{- with .Values.telemetry -}}
{{- if .endpoint -}}
{{- $port := include "faceline.port" (dict "address" (urlParse .endpoint).host "standard" (ternary "443" "80" (hasPrefix "https:" .endpoint))) -}}
{{ include "faceline.egress" (dict "ports" (list $port) "peers" .peers) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "faceline.mailEgress" -}}
{{- with .Values.smtp -}}
{{- if .address -}}
{{- $port := include "faceline.port" (dict "address" .address "standard" (ternary "465" "587" .tls)) -}}
{{ include "faceline.egress" (dict "ports" (list $port) "peers" .peers) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "faceline.operatorsIngress" -}}
- ports: [{ port: {{ .Values.operators.port }}, protocol: TCP }]
  from: {{ toYaml .Values.operators.peers | nindent 4 }}
{{- with .Values.networkPolicies.extraIngress }}
{{ toYaml . }}
{{- end }}
{{- end -}}
