/** A contract for plans and more: fails in every way, logs across frames, creates, destroys. */
export const PROBE_SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

contract Child {
  event Born(address self, uint256 value);
  constructor() payable { emit Born(address(this), msg.value); }
  function close(address payable to) external { selfdestruct(to); }
  receive() external payable {}
}

contract Probe {
  event Mark(uint256 indexed tag, address indexed who, uint256 value);
  event Context(uint256 number, uint256 time, address origin, address sender, uint256 balance);
  error Custom(uint256 code, address who);
  mapping(uint256 => uint256) public words;
  uint256 transient latch;

  receive() external payable { emit Mark(1, msg.sender, msg.value); }

  function fail(uint256 kind) external payable {
    words[kind] = block.number;
    emit Mark(2, msg.sender, kind);
    if (kind == 0) revert("no such luck");
    if (kind == 1) revert Custom(kind, msg.sender);
    if (kind == 2) assert(false);
    if (kind == 3) assembly { invalid() }
    if (kind == 4) revert();
    uint256[] memory list = new uint256[](1);
    list[kind]++;
  }

  function write(uint256 from, uint256 count, uint256 value) external {
    for (uint256 i = from; i < from + count; i++) words[i] = value;
    emit Mark(3, msg.sender, value);
  }

  function tries(uint256 kind) external payable {
    emit Mark(4, msg.sender, kind);
    try this.fail{value: msg.value / 2}(kind) {} catch { emit Mark(5, msg.sender, kind); }
    this.write(kind, 2, kind);
    emit Mark(6, msg.sender, kind);
  }

  function create(bytes32 salt, address payable heir) external payable {
    Child child = new Child{salt: salt, value: msg.value / 2}();
    emit Mark(7, address(child), msg.value);
    child.close(heir);
    Child kept = new Child{value: msg.value - msg.value / 2}();
    emit Mark(8, address(kept), address(kept).balance);
  }

  function context() external {
    require(latch == 0, "latched");
    latch = 1;
    emit Context(block.number, block.timestamp, tx.origin, msg.sender, msg.sender.balance);
  }

  function burn() external { while (true) words[gasleft()] = gasleft(); }

  function forward(address payable to) external payable {
    (bool ok, ) = to.call{value: msg.value}("");
    require(ok, "refused");
    emit Mark(9, to, msg.value);
  }
}
`
