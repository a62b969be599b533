export * from '@pit/platform/follow'
