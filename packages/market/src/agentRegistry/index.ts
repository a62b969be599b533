export {
  createAgentRegistry,
  type PartnerAgent,
  type PartnerFinding,
  type PartnerRegistry,
} from './findAgent.ts'
export { type AgentVault, createAgentVault, type VaultAgent } from './vault.ts'
