import { type AgentSketch, insertAgent } from '@pit/models/test/modelsWorld'
import type { Db } from '@pit/platform/db'
import { readAgent, type StoredAgent } from '../src/store.ts'

/** Inserts an agent and reads it as ticks do. */
export async function addAgent(db: Db, sketch: AgentSketch): Promise<StoredAgent> {
  await insertAgent(db, sketch)
  return (await readAgent(db, sketch.id)) as StoredAgent
}
