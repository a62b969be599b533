export * from './agentRegistry/index.ts'
export * from './pools/index.ts'
export * from './tokens/index.ts'
