export * from '@pit/platform/test/postgresServer'
