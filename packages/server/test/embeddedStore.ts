export * from '@pit/platform/test/embeddedStore'
