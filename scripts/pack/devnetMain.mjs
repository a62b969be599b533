#!/usr/bin/env node
// Starts the local world in the working directory: data in .pit, as in a clone.
import { fileURLToPath } from 'node:url'

const sanctions = fileURLToPath(new URL('../data/sanctions.txt', import.meta.url))
process.env.SANCTIONS_FILE ||= sanctions
process.env.SIGNER_SANCTIONS_FILE ||= sanctions
await import(new URL('./makeEmptyStore.js', import.meta.url))
await import(new URL('./start.js', import.meta.url))
