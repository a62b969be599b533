export * from '@pit/platform/call'
