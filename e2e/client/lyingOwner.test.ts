import { afterAll, beforeAll } from 'vitest'
import { agentCases } from './lyingOwner/agents.ts'
import { grantCases } from './lyingOwner/grants.ts'
import { revocationCases } from './lyingOwner/revocations.ts'
import { type LyingOwnerWorld, openLyingOwnerWorld } from './lyingOwner/world.ts'

// An owner behind a proxy that lies about agents, grants, revocations, approvals and refunds.

let opened: LyingOwnerWorld
beforeAll(async () => {
  opened = await openLyingOwnerWorld()
})
afterAll(() => opened?.close())

const getWorld = () => opened
agentCases(getWorld)
grantCases(getWorld)
revocationCases(getWorld)
