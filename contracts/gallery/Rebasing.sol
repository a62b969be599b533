// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Balances are shares of a supply that its owner stretches and shrinks: they change with no transfer.
/// @notice The base's `_balances` and `totalSupply` count shares here.
contract Rebasing is Specimen {
    event Rebase(uint256 index);

    uint256 public index = 1e18;

    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    function rebase(uint256 index_) external onlyOwner {
        index = index_;
        emit Rebase(index_);
    }

    function balanceOf(address account) public view override returns (uint256) {
        return _balances[account] * index / 1e18;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (to == address(0)) revert NoRecipient();
        uint256 shares = (value * 1e18 + index - 1) / index;
        // What rounding adds must not make a whole balance unmovable.
        if (shares > _balances[from] && value <= balanceOf(from)) shares = _balances[from];
        if (shares > _balances[from]) revert InsufficientBalance(from, balanceOf(from), value);
        _balances[from] -= shares;
        _balances[to] += shares;
        emit Transfer(from, to, value);
    }
}
