export * from '@pit/platform/logger'
