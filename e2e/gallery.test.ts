import { asking } from './gallery/asking.ts'
import { exactRisks } from './gallery/exactRisks.ts'
import { useGallery } from './gallery/galleryWorld.ts'
import { serverWithJobs, slowChain } from './gallery/otherServers.ts'
import { realShapes } from './gallery/realShapes.ts'

// Every bad token of the devnet, through the real server on the real chain: each gets exactly its expected
// risks.

const w = useGallery()

exactRisks(w)
realShapes(w)
asking(w)
slowChain(w)
serverWithJobs(w)
