{{- define "elcano.name" -}}
{{- .Release.Name | replace "." "-" | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "elcano.labels" -}}
app.kubernetes.io/name: elcano
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "elcano.selector" -}}
app.kubernetes.io/name: elcano
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "elcano.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "elcano.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "elcano.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /* A setting as text; Helm reads every number as a float, and would write a million as 1e+06. */ -}}
{{- define "elcano.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end }}

{{- /* Where pods of a part of the values may run. */ -}}
{{- define "elcano.placement" -}}
{{- range $name := list "nodeSelector" "affinity" "tolerations" }}
{{- with index $ $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Variables of every program: the ConfigMap, the secrets of the store and of Temporal. */ -}}
{{- define "elcano.envFrom" -}}
- configMapRef: { name: {{ include "elcano.name" . | quote }} }
{{- if .Values.store.secret }}
- secretRef: { name: {{ .Values.store.secret | quote }} }
{{- end }}
{{- if .Values.temporal.secret }}
- secretRef: { name: {{ .Values.temporal.secret | quote }} }
{{- end }}
{{- end }}

{{- define "elcano.volumeMounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
{{- if .Values.encryption.secret }}
- { name: encryption, mountPath: /etc/elcano/encryption, readOnly: true }
{{- end }}
{{- if .Values.volumeMounts }}
{{ toYaml .Values.volumeMounts }}
{{- end }}
{{- end }}

{{- define "elcano.volumes" -}}
- { name: data, emptyDir: {} } # indexes and caches, which are made anew; what lasts is in the store and the objects
- { name: tmp, emptyDir: {} }
{{- if .Values.encryption.secret }}
- name: encryption
  secret: { secretName: {{ .Values.encryption.secret | quote }}, defaultMode: 288 }
{{- end }}
{{- if .Values.volumes }}
{{ toYaml .Values.volumes }}
{{- end }}
{{- end }}

{{- /* The pod of a worker, for a Deployment and for the Worker Controller. */ -}}
{{- define "elcano.workerPod" -}}
metadata:
  labels:
    {{- include "elcano.labels" . | nindent 4 }}
    app.kubernetes.io/component: worker
  annotations:
    checksum/config: {{ include (print $.Template.BasePath "/configmap.yaml") . | sha256sum }}
spec:
  serviceAccountName: {{ include "elcano.name" . | quote }}
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: {{ .Values.worker.terminationGracePeriodSeconds }}
  securityContext:
    {{- include "elcano.podSecurity" . | nindent 4 }}
  {{- if .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml .Values.image.pullSecrets | nindent 4 }}
  {{- end }}
  containers:
    - name: worker
      image: {{ include "elcano.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      {{- if .Values.workerController.enabled }}
      # The controller names deployment and build.
      command:
        - /bin/sh
        - -c
        - ELCANO_DEPLOYMENT="$TEMPORAL_DEPLOYMENT_NAME" ELCANO_BUILD_ID="$TEMPORAL_WORKER_BUILD_ID" exec python -m elcano.worker
      {{- else }}
      command: [python, -m, elcano.worker]
      {{- end }}
      envFrom:
        {{- include "elcano.envFrom" . | nindent 8 }}
        {{- if .Values.providers.secret }}
        - secretRef: { name: {{ .Values.providers.secret | quote }} }
        {{- end }}
      {{- if and .Values.worker.deployment (not .Values.workerController.enabled) }}
      env:
        - { name: ELCANO_DEPLOYMENT, value: {{ .Values.worker.deployment | quote }} }
        {{- if .Values.worker.buildId }}
        - { name: ELCANO_BUILD_ID, value: {{ .Values.worker.buildId | quote }} }
        {{- end }}
      {{- end }}
      ports:
        - { name: metrics, containerPort: 9464 }
      resources:
        {{- toYaml .Values.worker.resources | nindent 8 }}
      securityContext:
        {{- include "elcano.containerSecurity" . | nindent 8 }}
      volumeMounts:
        {{- include "elcano.volumeMounts" . | nindent 8 }}
  volumes:
    {{- include "elcano.volumes" . | nindent 4 }}
  {{- include "elcano.placement" .Values.worker | nindent 2 }}
{{- end }}
