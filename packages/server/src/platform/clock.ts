export * from '@pit/platform/clock'
