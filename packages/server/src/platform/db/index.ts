export * from '@pit/platform/db'
export { migrateStore as migrate } from '../../migrateStore.ts'
