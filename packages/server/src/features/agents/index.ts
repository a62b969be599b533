export { createAgentRegistry } from './findAgent.ts'
