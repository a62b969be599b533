export { createAgentRegistry } from './findAgent.ts'
export { type AgentVault, createAgentVault, type VaultAgent } from './vault.ts'
