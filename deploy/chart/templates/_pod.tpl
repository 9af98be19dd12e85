{{/*
What all pods have. "faceline.pod" (dict "root" $ "component" … "pool" … "service" …). Images run as 10001.
Links to services are off: Kubernetes would set KAFKA_PORT and the like for services of those names.
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
{{- end -}}

{{- define "faceline.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
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

{{- define "faceline.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
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
