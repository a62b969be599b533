import { fail } from '@pit/protocol'

type Found<T> =
  | { kind: 'found'; target: T; params: Record<string, string> }
  | { kind: 'other method'; allow: string }
  | { kind: 'none' }

interface Node<T> {
  inner: Map<string, Node<T>>
  /** Tried after the literal segments, so that hosted/ai wins over hosted/:id. */
  parameter: { name: string; node: Node<T> } | null
  methods: Map<string, T>
}

const newNode = <T>(): Node<T> => ({ inner: new Map(), parameter: null, methods: new Map() })
const NO_PARAMS: Record<string, string> = {}

export interface Router<T> {
  add(method: 'GET' | 'POST' | 'OPTIONS', path: string, target: T): void
  find(method: string, path: string): Found<T>
}

/** Paths without parameters are one map lookup; the rest walk a tree of segments. */
export function createRouter<T>(): Router<T> {
  const root = newNode<T>()
  const whole = new Map<string, Node<T>>()

  function add(method: 'GET' | 'POST' | 'OPTIONS', path: string, target: T): void {
    let node = root
    for (const segment of path.slice(1).split('/')) {
      if (segment.startsWith(':')) {
        node.parameter ??= { name: segment.slice(1), node: newNode() }
        node = node.parameter.node
      } else {
        const next = node.inner.get(segment) ?? newNode<T>()
        node.inner.set(segment, next)
        node = next
      }
    }
    node.methods.set(method, target)
    if (!path.includes(':')) whole.set(path, node)
  }

  function walk(
    node: Node<T>,
    segments: readonly string[],
    at: number,
    params: Record<string, string>,
  ): Node<T> | null {
    const segment = segments[at]
    if (segment === undefined) return node.methods.size > 0 ? node : null
    const inner = node.inner.get(segment)
    const match = inner === undefined ? null : walk(inner, segments, at + 1, params)
    if (match !== null || node.parameter === null || segment === '') return match
    const deeper = walk(node.parameter.node, segments, at + 1, params)
    if (deeper !== null) params[node.parameter.name] = segment
    return deeper
  }

  function find(method: string, path: string): Found<T> {
    let params = NO_PARAMS
    let node = whole.get(path) ?? null
    if (node === null) {
      if (!path.startsWith('/')) return { kind: 'none' }
      params = {}
      node = walk(root, segmentsOf(path), 0, params)
    }
    if (node === null) return { kind: 'none' }
    const target = node.methods.get(method === 'HEAD' ? 'GET' : method)
    return target === undefined
      ? { kind: 'other method', allow: allowOf(node) }
      : { kind: 'found', target, params }
  }

  return { add, find }
}

const allowOf = (node: Node<unknown>): string =>
  [...node.methods.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')

function segmentsOf(path: string): string[] {
  const segments = path.slice(1).split('/')
  if (!path.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return fail('BAD_REQUEST', { field: 'path', message: 'Bad percent-encoding in the path.' })
  }
}
