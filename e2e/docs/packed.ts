import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { version } from '../../package.json'

const run = promisify(execFile)

/** A folder outside the repository with the npm packages of `npm run pack` installed, as a user has them. */
export interface Packed {
  folder: string
  remove(): void
}

/** What @pit/devnet depends on: 130 MB that would be installed for nothing. */
const DEVNET_DEPENDENCIES = ['@electric-sql', '@metamask', '@nomicfoundation']
/** The version the repository uses; PACK_VIEM is another of the peer range. */
const VIEM = process.env['PACK_VIEM'] ?? '2.57.1'

export async function packAll(): Promise<Packed> {
  await run(process.execPath, ['scripts/pack.mjs'])
  const folder = mkdtempSync(join(tmpdir(), 'pit-packed-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  const packages = [tarball('client'), tarball('cli'), `viem@${VIEM}`]
  await run('npm', ['install', ...flags, ...packages], { cwd: folder })
  const installed = join(folder, 'node_modules')
  for (const name of DEVNET_DEPENDENCIES) symlinkSync(resolve('node_modules', name), join(installed, name))
  const devnet = join(installed, '@pit/devnet')
  mkdirSync(devnet)
  await run('tar', ['-xzf', tarball('devnet'), '-C', devnet, '--strip-components=1'])
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

const tarball = (name: string): string => resolve('dist/packages', `pit-${name}-${version}.tgz`)

/** Node's own, or each of PACK_NODES, whose binaries npm has as packages. */
export async function nodeBinaries({ folder }: Packed): Promise<[version: string, binary: string][]> {
  const majors = process.env['PACK_NODES']?.split(',') ?? []
  if (majors.length === 0) return [[process.version, process.execPath]]
  const binaries: [string, string][] = []
  for (const major of majors) {
    const home = join(folder, `node${major}`)
    mkdirSync(home)
    const name = `node-${process.platform}-${process.arch}@${major}`
    await run('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', name])
    const binary = join(home, 'node_modules', name.split('@')[0]!, 'bin/node')
    binaries.push([(await run(binary, ['--version'])).stdout.trim(), binary])
  }
  return binaries
}
