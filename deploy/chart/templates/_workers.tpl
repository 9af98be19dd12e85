{{/* "faceline.workers" (dict "root" $ "pool" $pool): the Deployment of a pool's workers, and its budget. */}}
{{- define "faceline.workers" -}}
{{- $root := .root -}}
{{- $pool := .pool -}}
{{- $workers := $pool.workers -}}
{{- $gpu := $workers.gpu -}}
{{- $onGpu := $gpu.enabled -}}
{{- $settings := $root.Values.settings -}}
{{- $own := merge (dict) $pool.settings.workers $settings.workers -}}
{{- $parts := dict "root" $root "component" "inference" "service" "inference" "pool" $pool.name "own" $workers -}}
{{- $_ := set $parts "name" (printf "%s-%s-inference" (include "faceline.fullname" $root) $pool.name) -}}
{{- $_ := set $parts "secretFiles" (include "faceline.secretFiles" $parts | fromJson) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $parts.name }}
  labels: {{ include "faceline.labels" $parts | nindent 4 }}
spec:
  {{- if not $workers.autoscaling.enabled }}
  replicas: {{ $workers.replicas }}
  {{- end }}
  # There is seldom a GPU to spare.
  {{- $isSpare := or (not $onGpu) $gpu.spare }}
  strategy: { rollingUpdate: { maxSurge: {{ ternary 1 0 $isSpare }}, maxUnavailable: {{ ternary 0 1 $isSpare }} } }
  progressDeadlineSeconds: {{ add (int $workers.startWithinSeconds) 300 }}
  selector:
    matchLabels: {{ include "faceline.selector" $parts | nindent 6 }}
  template:
    metadata: {{ include "faceline.podMetadata" $parts | nindent 6 }}
    spec:
      {{- include "faceline.pod" $parts | nindent 6 }}
      {{- include "faceline.spread" $parts | nindent 6 }}
      {{- with $gpu.runtimeClassName }}
      runtimeClassName: {{ . }}
      {{- end }}
      # The drain, and five seconds for its end.
      terminationGracePeriodSeconds: {{ add (ceil (divf $workers.drainWithinMs 1000)) 5 }}
      {{- include "faceline.initContainers" $parts | nindent 6 }}
      containers:
        - name: inference
          image: {{ include "faceline.image" (dict "root" $root "image" "inference") }}
          imagePullPolicy: {{ $root.Values.images.pullPolicy }}
          {{- include "faceline.container" $parts | nindent 10 }}
          ports:
            - { name: operators, containerPort: {{ $root.Values.operators.port }} }
          env:
            {{- include "faceline.serviceEnvironment" $parts | nindent 12 }}
            - { name: POOL, value: {{ $pool.name | quote }} }
            - { name: INTRA_OP_THREADS, value: {{ $workers.threads | quote }} }
            - { name: EXECUTION_PROVIDER, value: {{ ternary "cuda" "cpu" $onGpu }} }
            - { name: WORKER_DRAIN_WITHIN_MS, value: {{ include "faceline.text" $workers.drainWithinMs | quote }} }
            {{- if $gpu.librariesClaim }}
            - { name: LD_LIBRARY_PATH, value: {{ printf "/cuda/%s" $gpu.librariesPath | trimSuffix "/" | quote }} }
            {{- end }}
            {{- include "faceline.settings" (list $settings.all $settings.ingressAndWorkers $settings.workers $pool.settings.workers) | nindent 12 }}
            {{- include "faceline.extraEnvironment" $parts | nindent 12 }}
          resources: {{ include "faceline.workerResources" $workers | nindent 12 }}
          {{- include "faceline.probes" (dict "startWithinSeconds" $workers.startWithinSeconds) | nindent 10 }}
          {{- include "faceline.mounts" $parts | nindent 10 }}
            {{- if $gpu.librariesClaim }}
            - { name: cuda, mountPath: /cuda, readOnly: true }
            {{- end }}
        {{- include "faceline.sidecars" $parts | nindent 6 }}
      {{- include "faceline.volumes" $parts | nindent 6 }}
        {{- with $gpu.librariesClaim }}
        - name: cuda
          persistentVolumeClaim: { claimName: {{ . }}, readOnly: true }
        {{- end }}
---
{{ include "faceline.disruption" $parts }}
{{- end -}}

{{/* A device is requested and limited by the same number. */}}
{{- define "faceline.workerResources" -}}
{{- $resources := deepCopy .resources -}}
{{- if .gpu.enabled -}}
{{- $limits := set (default (dict) $resources.limits) .gpu.resource 1 -}}
{{- $_ := set $resources "limits" $limits -}}
{{- end -}}
{{ toYaml $resources }}
{{- end -}}
