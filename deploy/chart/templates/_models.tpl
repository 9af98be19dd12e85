{{/*
Models and thresholds of your own: MODELS_DIR is /models, from a volume, from an image whose /models is copied,
or with thresholds alone. Ingresses read entries of added models and thresholds, workers the networks.
*/}}
{{- define "faceline.modelsDir" -}}
{{- $models := .root.Values.models -}}
{{- if or (and (or $models.volume $models.image) (has .component (list "ingress" "inference"))) (and $models.thresholds (eq .component "ingress")) -}}
/models
{{- end -}}
{{- end -}}

{{- define "faceline.modelsEnvironment" -}}
{{- with include "faceline.modelsDir" . }}
- { name: MODELS_DIR, value: {{ . }} }
{{- end }}
{{- end -}}

{{- define "faceline.modelMounts" -}}
{{- $models := .root.Values.models -}}
{{- with include "faceline.modelsDir" . }}
  - { name: models, mountPath: {{ . }}{{ ternary "/thresholds" "" (ne $models.thresholds "") }}, readOnly: true }
{{- end }}
{{- end -}}

{{- define "faceline.modelVolumes" -}}
{{- $models := .root.Values.models -}}
{{- if include "faceline.modelsDir" . }}
  - name: models
{{- if $models.thresholds }}
    configMap: { name: {{ $models.thresholds }} }
{{- else if $models.image }}
    emptyDir: { sizeLimit: 8Gi }
{{- else }}
{{ toYaml $models.volume | indent 4 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "faceline.modelCopy" -}}
{{- $image := .root.Values.models.image -}}
{{- if and $image (include "faceline.modelsDir" .) }}
  - name: models
    image: {{ $image }}
    imagePullPolicy: {{ .root.Values.images.pullPolicy }}
    command: [cp, -r, /models/., /target]
    {{- include "faceline.security" . | nindent 4 }}
    resources:
      requests: { cpu: 50m, memory: 64Mi }
      limits: { memory: 256Mi }
    volumeMounts:
      - { name: models, mountPath: /target }
{{- end }}
{{- end -}}
