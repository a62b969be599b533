export { type Config, readConfig, SETTINGS } from './config.ts'
export type { World } from './deploy/index.ts'
export { type Devnet, type DevnetOptions, startDevnet } from './devnet.ts'
