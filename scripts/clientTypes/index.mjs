// The declarations of @pit/client as they are published: one file with doc comments, which imports viem alone.
import { createPrinter, withoutComments } from './printTypes.mjs'
import { readTypes } from './readTypes.mjs'
import { referencePage, undocumented } from './reference.mjs'
import { describe, routeNames } from './routeTypes.mjs'

const ENTRY = 'packages/client/src/index.ts'
const SCHEMAS = 'packages/protocol/src/schemas/index.ts'

/** `routes`: the route table and the schemas of `@pit/protocol`. */
export function clientTypes(routes) {
  const { declared, schemas, internal } = readTypes(ENTRY, SCHEMAS)
  const api = declared.find(({ name }) => name === 'Api')
  const exportedNames = new Set(declared.map(({ name }) => name))
  const isFree = ({ name }) => !exportedNames.has(name) && !internal.has(name)
  for (const { name, node } of schemas) describe(node, routes.schemas[name])
  const ofRoutes = routeNames(api, routes)
  const names = [
    ...declared.filter(({ form }) => form === 'type'),
    ...internal.values(),
    ...schemas.filter(isFree).map((one) => ({ ...one, doc: routes.schemas[one.name].description ?? null })),
    ...ofRoutes.filter(isFree),
  ]
  const printer = createPrinter(names)
  const { exported, others } = printer.print(declared)
  const types = `${[...exported, ...others].map(({ text }) => text).join('\n\n')}\n`
  const client = declared.find(({ name }) => name === 'PitClient')
  const faults = undocumented(declared, client)
  if (faults.length > 0) throw new Error(`The client's face is not documented:\n${faults.join('\n')}`)
  return { types, report: withoutComments(types), reference: referencePage(client, printer) }
}
