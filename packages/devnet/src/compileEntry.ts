import { compileContracts } from './compile.ts'

// Build step, so that no start waits for the compiler.
await compileContracts((line) => console.log(line))
