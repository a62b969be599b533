export * from '@pit/platform/metrics'
