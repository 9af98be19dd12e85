{{/* Labels and annotations of a pod; those of the chart come before those of `own`, the component's values. */}}
{{- define "faceline.podMetadata" -}}
{{- $annotations := mustMerge (dict) (.annotations | default dict) (.own.extra.podAnnotations | default dict) -}}
{{- with .root.Values.secretsChecksum }}{{ $_ := set $annotations "checksum/secrets" . }}{{ end -}}
labels: {{ mustMerge (include "faceline.labels" . | fromYaml) (.own.extra.podLabels | default dict) | toYaml | nindent 2 }}
{{- with $annotations }}
annotations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
What all pods have. "faceline.pod" (dict "root" $ "component" … "pool" … "service" … "own" values). Images run
as 10001. Links to services are off: Kubernetes would set KAFKA_PORT and the like for services of those names.
*/}}
{{- define "faceline.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.images.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with .own.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .own.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with pick .own.extra "affinity" "priorityClassName" "serviceAccountName" }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "faceline.security" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{- define "faceline.container" -}}
{{ include "faceline.security" . }}
{{- with .own.extra.envFrom }}
envFrom: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "faceline.extraEnvironment" -}}
{{- with .own.extra.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Replicas on machines and in zones of their own where that is possible, those of one revision apart. */}}
{{- define "faceline.spread" -}}
topologySpreadConstraints:
{{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels: {{ include "faceline.selector" $ | nindent 8 }}
{{- end }}
{{- end -}}

{{/*
Probes on the operators' port, which needs no token for them. The first number is the time that a process has
until it is ready. A process that is not ready because a server is away is left alone; one whose event loop
stands still for a minute is ended.
*/}}
{{- define "faceline.probes" -}}
startupProbe:
  httpGet: { path: /readyz, port: operators }
  periodSeconds: 2
  timeoutSeconds: 4
  failureThreshold: {{ div (add (int .startWithinSeconds) 1) 2 }}
readinessProbe:
  httpGet: { path: /readyz, port: operators }
  periodSeconds: 2
  timeoutSeconds: 4
  failureThreshold: 2
livenessProbe:
  httpGet: { path: /livez, port: operators }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
{{- end -}}

{{/* /tmp is memory: nothing is written to a disk. */}}
{{- define "faceline.mounts" -}}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
{{- if .secretFiles }}
  - { name: secrets, mountPath: /run/secrets/faceline, readOnly: true }
{{- end }}
{{- include "faceline.modelMounts" . }}
{{- with .own.extra.volumeMounts }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end -}}

{{- define "faceline.volumes" -}}
volumes:
  - name: tmp
    emptyDir: { medium: Memory, sizeLimit: 64Mi }
{{- if .secretFiles }}
  - name: secrets
    projected:
      defaultMode: 0440
      sources:
{{- range $setting, $reference := .secretFiles }}
        - secret:
            name: {{ $reference.secret | default $.root.Values.secret }}
            items: [{ key: {{ $reference.key | quote }}, path: {{ include "faceline.fileName" $setting }} }]
{{- end }}
{{- end }}
{{- include "faceline.modelVolumes" . }}
{{- with .own.extra.volumes }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end -}}

{{/* Containers before and beside that of the service. */}}
{{- define "faceline.initContainers" -}}
{{- $copy := include "faceline.modelCopy" . -}}
{{- if or $copy .own.extra.initContainers -}}
initContainers:
{{- $copy }}
{{- with .own.extra.initContainers }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "faceline.sidecars" -}}
{{- with .own.extra.containers }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end -}}

{{/* Pods that may be away at a time. One that does not work may always leave its machine. */}}
{{- define "faceline.disruption" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  labels: {{ include "faceline.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: {{ include "faceline.selector" . | nindent 6 }}
{{- end -}}
