import type { CpuProfile } from '@pit/platform/test/watchProcess'

interface Frame {
  name: string
  us: number
  children: Map<string, Frame>
}

const WIDTH = 1_200
const ROW = 16
/** Narrower frames are left out: they could not be read, and would make the file large. */
const MIN_PX = 3
const PX_PER_LETTER = 6.2
/** Waiting is not work. */
const IDLE = new Set(['(idle)', '(root)'])

/** The flame graph of a profile: who was running, from the outermost call (below) to the innermost (above). */
export function flameGraph(title: string, profile: CpuProfile): string {
  const root = stacksOf(profile)
  const rows: string[] = []
  const height = (depthOf(root, root.us) + 3) * ROW
  draw(root, 0, 0)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="monospace" font-size="10">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="6" y="13" font-size="12">${escaped(title)}</text>`,
    ...rows,
    '</svg>\n',
  ].join('\n')

  function draw(frame: Frame, x: number, depth: number): void {
    let left = x
    for (const child of [...frame.children.values()].sort((a, b) => b.us - a.us)) {
      const width = (child.us / root.us) * WIDTH
      if (width < MIN_PX) continue
      const y = height - (depth + 1) * ROW - 4
      const share = `${((100 * child.us) / root.us).toFixed(1)}%`
      const letters = Math.floor((width - 4) / PX_PER_LETTER)
      const label = letters < 3 ? '' : child.name.slice(0, letters)
      rows.push(
        `<g><title>${escaped(child.name)} ${share}</title>` +
          `<rect x="${left.toFixed(1)}" y="${y}" width="${(width - 0.5).toFixed(1)}" height="${ROW - 1}" ` +
          `fill="${colourOf(child.name)}"/>` +
          (label && `<text x="${(left + 2).toFixed(1)}" y="${y + 11}">${escaped(label)}</text>`) +
          '</g>',
      )
      draw(child, left, depth + 1)
      left += width
    }
  }
}

/** The functions that ran most, by their own time. */
export function ownTimes(profile: CpuProfile, count: number): { name: string; share: number }[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const own = new Map<string, number>()
  let total = 0
  for (const [i, id] of profile.samples.entries()) {
    const name = nameOf(nodes.get(id)!.callFrame)
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

function stacksOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id])))
  const root: Frame = { name: 'all', us: 0, children: new Map() }
  for (const [i, id] of samples.entries()) {
    const names: string[] = []
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      names.unshift(nameOf(byId.get(at)!.callFrame))
    }
    if (IDLE.has(names.at(-1)!)) continue
    const us = timeDeltas[i] ?? 0
    root.us += us
    let frame = root
    for (const name of names.slice(1)) {
      const child: Frame = frame.children.get(name) ?? { name, us: 0, children: new Map() }
      child.us += us
      frame.children.set(name, child)
      frame = child
    }
  }
  return root
}

const nameOf = ({ functionName, url }: { functionName: string; url: string }): string =>
  `${functionName || '(anonymous)'}${url.startsWith('node:') ? ` ${url}` : ''}`

function depthOf(frame: Frame, whole: number): number {
  const deep = [...frame.children.values()].filter(({ us }) => (us / whole) * WIDTH >= MIN_PX)
  return deep.length === 0 ? 0 : 1 + Math.max(...deep.map((child) => depthOf(child, whole)))
}

/** The same function has the same colour in every graph; what is Node's own is grey. */
function colourOf(name: string): string {
  if (/ node:|^\(/.test(name)) return '#d8d8d8'
  let hash = 0
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 60
  return `hsl(${hash}, 80%, 70%)`
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!)
