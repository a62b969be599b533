import { useState } from 'react'
import { capital } from '../data/format.ts'
import { type OpenApi, type Operation, useOpenApi } from '../data/openapi.ts'
import { TextField } from '../design/Field.tsx'
import { Badge, Card, Code, Page } from '../design/parts.tsx'
import { Empty, Loaded } from '../design/states.tsx'

interface Listed extends Operation {
  method: string
  path: string
}

const isMethod = (name: string): boolean => ['get', 'post'].includes(name)

/** All API routes, from the server's OpenAPI document. */
export default function Reference() {
  const [typed, setTyped] = useState('')
  const document = useOpenApi()
  return (
    <Page
      title="API reference"
      lead="The API behind this dashboard. A program can do everything that these pages do."
      actions={
        <>
          <a className="button tight" href="/docs">
            Full reference
          </a>
          <a className="button tight" href="/api/v1/openapi.json">
            OpenAPI
          </a>
          <a className="button tight" href="/llms.txt">
            llms.txt
          </a>
        </>
      }
    >
      <TextField
        label="Find a route"
        value={typed}
        onChange={setTyped}
        placeholder="quote, session, league…"
      />
      <Loaded of={document} lines={14}>
        {(found) => <Routes listed={matching(listedIn(found), typed)} />}
      </Loaded>
    </Page>
  )
}

const listedIn = ({ paths }: OpenApi): Listed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => isMethod(method))
      .map(([method, operation]) => ({ ...operation, method, path })),
  )

const matching = (listed: readonly Listed[], typed: string): Listed[] => {
  const query = typed.trim().toLowerCase()
  return listed.filter(({ path, summary }) => `${path} ${summary ?? ''}`.toLowerCase().includes(query))
}

function Routes({ listed }: { listed: readonly Listed[] }) {
  if (listed.length === 0) return <Empty title="No matching route." />
  const groups = [...new Set(listed.map(({ tags }) => tags?.[0] ?? 'other'))]
  return groups.map((group) => (
    <Card key={group} title={capital(group)} flush>
      {listed
        .filter(({ tags }) => (tags?.[0] ?? 'other') === group)
        .map((operation) => (
          <Route key={`${operation.method} ${operation.path}`} operation={operation} />
        ))}
    </Card>
  ))
}

function Route({ operation }: { operation: Listed }) {
  const {
    method,
    path,
    summary,
    description,
    security,
    parameters = [],
    requestBody,
    responses = {},
  } = operation
  const example = requestBody?.content?.['application/json']?.example
  const isOpen = !security || security.length === 0 || security.some((one) => Object.keys(one).length === 0)
  return (
    <details className="item">
      <summary>
        <Badge tone={method === 'get' ? 'up' : 'accent'}>{method.toUpperCase()}</Badge>
        <code className="break">{path}</code>
        <span className="faint">{summary?.replaceAll('`', '')}</span>
        {isOpen && <Badge>No key</Badge>}
      </summary>
      <div className="body">
        {description && description !== summary && <p className="break">{description}</p>}
        {parameters.length > 0 && (
          <ul className="stack">
            {parameters.map(({ name, in: place, required, description: says, schema }) => (
              <li key={name}>
                <code>{name}</code> <Badge>{required ? `${place}, required` : place}</Badge>{' '}
                <span className="faint">{says ?? schema?.description}</span>
              </li>
            ))}
          </ul>
        )}
        {example !== undefined && <Code text={JSON.stringify(example, null, 2)} label="Example request" />}
        <ul className="stack">
          {Object.entries(responses).map(([status, { description: says }]) => (
            <li key={status}>
              <Badge tone={status.startsWith('2') ? 'up' : 'plain'}>{status}</Badge>{' '}
              <span className="break">{says}</span>
            </li>
          ))}
        </ul>
      </div>
    </details>
  )
}
