/** What the build puts into the service worker in place of this name. */
declare const __BUILD__: {
  build: string
  files: Record<string, { bytes: number; sha256: string; group: 'core' | 'model' }>
}
