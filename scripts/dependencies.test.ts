import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

type Names = Record<string, string>
interface Manifest {
  dependencies?: Names
  devDependencies?: Names
  optionalDependencies?: Names
  overrides?: Names
}
interface Entry {
  link?: boolean
  integrity?: string
  resolved?: string
}

const read = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T
const root = read<Manifest>('package.json')
const manifests = [
  root,
  ...readdirSync('packages').map((name) => read<Manifest>(`packages/${name}/package.json`)),
]
const direct = new Map(
  manifests
    .flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
      Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
    )
    .filter(([name]) => !name.startsWith('@pit/')),
)
/** The names in the first column of every table. */
const rows = readFileSync('docs/reference/dependencies.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .flatMap((line) => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))

it('docs/reference/dependencies.md has a row for each direct dependency and override, and for nothing else', () => {
  const wanted = [...direct.keys(), ...Object.keys(root.overrides ?? {})]
  expect([...rows].sort()).toEqual(wanted.sort())
})

it('direct dependencies are of one exact version', () => {
  expect([...direct].filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})

it('the lock file has the integrity of every package, and the name of no registry', () => {
  const { packages } = read<{ packages: Record<string, Entry> }>('package-lock.json')
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  expect(installed.length).toBeGreaterThan(300)
  expect(
    installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
  ).toEqual([])
  expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
})
