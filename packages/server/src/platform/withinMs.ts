export * from '@pit/platform/withinMs'
