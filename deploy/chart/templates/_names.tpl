{{/* What the names of objects begin with. */}}
{{- define "faceline.fullname" -}}
{{- $values := .Values -}}
{{- $values.fullnameOverride | default (list .Release.Name $values.nameOverride | compact | join "-") -}}
{{- end -}}

{{/* "faceline.labels" (dict "root" $ "component" …), with "pool" for what belongs to one. */}}
{{- define "faceline.labels" -}}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{ include "faceline.selector" . }}
{{- end -}}

{{- define "faceline.selector" -}}
app.kubernetes.io/name: faceline
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .pool }}
pool: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* "faceline.image" (dict "root" $ "image" "ingress") */}}
{{- define "faceline.image" -}}
{{- $images := .root.Values.images -}}
{{- $repository := printf "%s/%s" $images.registry .image -}}
{{- with get $images.digests .image -}}
{{ $repository }}@{{ . }}
{{- else -}}
{{ $repository }}:{{ $images.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}
