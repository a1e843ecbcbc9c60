import { serveNetwork } from '../dist/cli/network-server.js'
import { openNode } from '../dist/node/open-node.js'
import { createNetwork } from '../dist/chain/networks.js'
import { ManualClock } from '../dist/node/manual-clock.js'
import { createSchedule } from '../dist/node/schedule.js'
import { DEFAULT_POOL_OPTIONS } from '../dist/pool/options.js'
import { createRpc, RPC_DEFAULTS } from '../dist/rpc/create-rpc.js'
import { pino } from 'pino'
import { randomBytes } from 'node:crypto'
const clock=new ManualClock({wall:Date.UTC(2026,0,1)})
const {genesis}=createNetwork()
const node=await openNode({genesis,directory:undefined,schedule:createSchedule(2000,200),gasLimit:genesis.header.gasLimit,timeBudget:0.6,finalityDepth:64,history:'all',replayBlocks:64,maxBlocksBehind:8,pool:DEFAULT_POOL_OPTIONS},{clock,log:pino({level:'silent'})})
for(let i=0;i<45;i++){clock.moveTo(clock.next);await node.idle()}
const rpcClock={wall:()=>Date.now(),monotonic:()=>performance.now(),at:(t,a)=>{const x=setTimeout(a,0);return()=>clearTimeout(x)}}
const rpc=createRpc({...RPC_DEFAULTS,clientVersion:'x',version:'0',networkId:31337n},{node,clock:rpcClock,log:{error:console.error},randomBytes})
const A='0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', T='0x5700000000000000000000000000000000000001'
const reqs={
 blockNumber:['eth_blockNumber'], balance:['eth_getBalance',A,'latest'], code:['eth_getCode',T,'latest'], block:['eth_getBlockByNumber','latest',false],
 call:['eth_call',{to:T,data:'0x70a08231000000000000000000000000'+A.slice(2)},'latest'],
 estimate:['eth_estimateGas',{from:A,to:'0x'+'77'.repeat(20),value:'0x1'}],
 simulate:['eth_simulateV1',{blockStateCalls:[{calls:[1,2,3].map(()=>({from:A,to:T,data:'0x70a08231000000000000000000000000'+A.slice(2)}))}]},'latest'],
}
const only=process.argv[2]
for(let round=0;round<3;round++) for(const [name,[method,...params]] of Object.entries(reqs)){ if(only&&only!==name) continue
 const text=JSON.stringify({jsonrpc:'2.0',id:1,method,params}); const n=only?40000:name==='simulate'?600:name==='estimate'?3000:8000
 const c0=process.cpuUsage(); for(let i=0;i<n;i++) await rpc.answer(text); const c=process.cpuUsage(c0); if(round===2) console.log(name.padEnd(12),((c.user+c.system)/n).toFixed(1),'us cpu', (await rpc.answer(text)).slice(0,90)) }
await node.stop(); process.exit(0)
