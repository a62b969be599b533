import type { CpuProfile } from '@pit/platform/test/watchProcess'

const IDLE = new Set(['(idle)', '(root)'])

/** The functions with the most self time, as shares of the busy time. */
export function ownTimes(profile: CpuProfile, count: number): { name: string; share: number }[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const own = new Map<string, number>()
  let total = 0
  for (const [i, id] of profile.samples.entries()) {
    const { functionName, url } = nodes.get(id)!.callFrame
    const name = `${functionName || '(anonymous)'}${url.startsWith('node:') ? ` ${url}` : ''}`
    if (IDLE.has(name)) continue
    const us = profile.timeDeltas[i] ?? 0
    own.set(name, (own.get(name) ?? 0) + us)
    total += us
  }
  return [...own]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name, us]) => ({ name, share: us / total }))
}
