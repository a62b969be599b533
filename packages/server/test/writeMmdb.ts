/** Writes a MaxMind database of IPv4 networks: just enough of the format to test the reader. */
export function writeMmdb(networks: { cidr: string; record: object }[]): Buffer {
  type Node = [Node | number | null, Node | number | null]
  const root: Node = [null, null]
  const data: Buffer[] = []
  let dataSize = 0
  for (const { cidr, record } of networks) {
    const [address = '', bits = '32'] = cidr.split('/')
    const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
    let node = root
    for (let bit = 0; bit < Number(bits); bit++) {
      const side = Math.floor(value / 2 ** (31 - bit)) % 2 === 0 ? 0 : 1
      if (bit === Number(bits) - 1) node[side] = dataSize
      else {
        if (!Array.isArray(node[side])) node[side] = [null, null]
        node = node[side] as Node
      }
    }
    const bytes = encode(record)
    data.push(bytes)
    dataSize += bytes.length
  }
  const nodes: Node[] = []
  const number = (node: Node): void => {
    nodes.push(node)
    for (const side of node) if (Array.isArray(side)) number(side)
  }
  number(root)
  // A record points at a node, at nothing (the node count), or past it and a gap of 16 bytes into the data.
  const pointer = (side: Node[0]): number =>
    side === null ? nodes.length : Array.isArray(side) ? nodes.indexOf(side) : nodes.length + 16 + side
  const tree = Buffer.concat(
    nodes.map(([left, right]) => {
      const bytes = Buffer.alloc(6)
      bytes.writeUIntBE(pointer(left), 0, 3)
      bytes.writeUIntBE(pointer(right), 3, 3)
      return bytes
    }),
  )
  const about = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Test-City',
    ip_version: 4,
    node_count: nodes.length,
    record_size: 24,
    languages: ['en'],
    description: { en: 'test' },
  }
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])
  return Buffer.concat([tree, Buffer.alloc(16), ...data, marker, encode(about)])
}

/** Types by number: 2 text, 6 uint32, 7 map, 11 list (as an extended type). */
function encode(value: unknown): Buffer {
  if (typeof value === 'string')
    return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)])
  const entries = Object.entries(value as object)
  return Buffer.concat([
    control(7, entries.length),
    ...entries.flatMap(([name, inner]) => [encode(name), encode(inner)]),
  ])
}

const control = (type: number, size: number): Buffer =>
  size < 29 ? Buffer.from([(type << 5) | size]) : Buffer.from([(type << 5) | 29, size - 29])
