export * from '@pit/platform/readProfile'
