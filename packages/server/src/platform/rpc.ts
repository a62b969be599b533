export * from '@pit/platform/rpc'
